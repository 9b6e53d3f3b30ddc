package io.millrace.gateway.objects.derived;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Brings archives, which a listing of their bucket has in the order of their keys, into that of the keys of their
 * members: {@code a.tar-b.tar/} comes before {@code a.tar/}, since a dash sorts before a slash. An archive is held back
 * while keys continue its own with what sorts before a slash. Not thread-safe.
 */
final class ArchiveOrder {
    /** Archives that are held back; the key of each begins with that of the one below it. */
    private final Deque<String> held = new ArrayDeque<>();

    /**
     * Takes the next key or common prefix of the listing.
     *
     * @return the archives that come before all that follows it
     */
    List<String> before(String listed) {
        List<String> passed = new ArrayList<>();
        while (!held.isEmpty() && !mayFollow(held.getFirst(), listed)) {
            passed.add(held.removeFirst());
        }
        return passed;
    }

    /** Holds back the archive that was listed last. */
    void hold(String archive) {
        held.addFirst(archive);
    }

    /** Returns the archives that are left at the end of the listing. */
    List<String> end() {
        List<String> left = List.copyOf(held);
        held.clear();
        return left;
    }

    private static boolean mayFollow(String archive, String listed) {
        return listed.length() > archive.length()
                && listed.startsWith(archive)
                && listed.charAt(archive.length()) < '/';
    }
}
