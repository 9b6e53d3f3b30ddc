package io.millrace.gateway.s3.hub;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.gateway.s3.hub.HubRequest.RepositoryName;
import io.millrace.gateway.s3.hub.HubRequest.Subject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of a commit that have the same content. A client of the Hub reads one of them and links the others to it, so of
 * those only the heads are asked for; the next client may read another one. Thread-safe.
 */
final class SameContentFiles {
    /** The most heap memory; files that are forgotten are fetched when they are read. */
    private static final long MOST_BYTES = 4 << 20;

    /** The most files with one content; further ones are fetched when they are read. */
    private static final int MOST_FILES = 64;

    /** The most bytes of files with one content that are fetched although nobody has asked for them. */
    private static final long MOST_FETCHED = 16L << 30;

    private final Cache<Content, Files> known = Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher((Content content, Files files) -> content.characters() + files.characters())
            .executor(Runnable::run)
            .build();

    private record Content(RepositoryName repository, String commit, String tag) {
        int characters() {
            return 400 + 2 * (repository.id().length() + tag.length());
        }
    }

    /**
     * The paths of the files with one content.
     *
     * @param read in the cache, or about to be
     * @param seen of which only the head was asked for; those that could not be fetched, if one has been read
     */
    private record Files(Set<String> read, Set<String> seen) {
        static final Files NONE = new Files(Set.of(), Set.of());

        int characters() {
            return 2
                    * (read.stream().mapToInt(String::length).sum()
                            + seen.stream().mapToInt(String::length).sum());
        }

        /** @param due takes the paths of the files to fetch */
        Files with(String path, boolean isRead, List<String> due) {
            boolean isKnown = read.contains(path) || seen.contains(path);
            boolean isFirstRead = isRead && read.isEmpty();
            boolean hasRoom = isFirstRead || read.size() + seen.size() < MOST_FILES;
            Set<String> now = isKnown || !hasRoom ? seen : plus(seen, Set.of(path));
            if (!isRead && read.isEmpty()) {
                return new Files(read, now);
            }
            due.addAll(now);
            if (isRead) {
                due.remove(path);
            }
            return new Files(plus(read, now), Set.of());
        }

        /** Returns these with a file that is still to be fetched. */
        Files without(String path) {
            Set<String> others = new HashSet<>(read);
            return others.remove(path) ? new Files(Set.copyOf(others), plus(seen, Set.of(path))) : this;
        }

        private static Set<String> plus(Set<String> paths, Set<String> more) {
            Set<String> all = new HashSet<>(paths);
            all.addAll(more);
            return Set.copyOf(all);
        }
    }

    /**
     * Notes that a file was answered. Returns the files to fetch, because one with the same content has been read; also those that
     * could not be fetched before.
     *
     * @param file at a commit
     * @param size of the file
     * @param isRead whether its bytes were asked for
     */
    List<HubRequest> note(HubRequest file, String tag, long size, boolean isRead) {
        Content content = new Content(file.repository(), file.revision(), tag);
        @Nullable Files before = known.getIfPresent(content);
        if (before != null
                && before.read().contains(file.path())
                && before.seen().isEmpty()) {
            return List.of();
        }
        List<String> due = new ArrayList<>();
        known.asMap().compute(content, (same, files) -> {
            due.clear();
            return (files == null ? Files.NONE : files).with(file.path(), isRead, due);
        });
        return due.stream()
                .limit(size <= 0 ? MOST_FILES : MOST_FETCHED / size)
                .map(path -> new HubRequest(Subject.FILE, file.repository(), file.revision(), path, ""))
                .toList();
    }

    /** Notes that a file could not be fetched: the next request for one with its content has it tried again. */
    void noteFailure(HubRequest file, String tag) {
        Content content = new Content(file.repository(), file.revision(), tag);
        known.asMap().computeIfPresent(content, (same, files) -> files.without(file.path()));
    }
}
