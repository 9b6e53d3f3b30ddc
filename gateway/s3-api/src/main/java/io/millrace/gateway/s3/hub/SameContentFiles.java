package io.millrace.gateway.s3.hub;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.gateway.s3.hub.HubRequest.RepositoryName;
import io.millrace.gateway.s3.hub.HubRequest.Subject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of a commit that have the same content. A client of the Hub reads one of them and links the others to it,
 * so of those only the heads are asked for; the next client may read another one. Thread-safe.
 */
final class SameContentFiles {
    /** The most heap memory; files that are forgotten are fetched when they are read. */
    private static final long MOST_BYTES = 4 << 20;

    /** The most files with one content; further ones are fetched when they are read. */
    private static final int MOST_FILES = 64;

    /** The most bytes of files with one content that are fetched although nobody has asked for them. */
    private static final long MOST_FETCHED = 16L << 30;

    /**
     * The time after a failure for which no file with that content is fetched; each further round of failures doubles
     * it.
     */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(30);

    /** The longest such time. */
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    private final InstantSource clock;

    private final Cache<Content, Files> known = Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher((Content content, Files files) -> content.characters() + files.characters())
            .executor(Runnable::run)
            .build();

    private record Content(RepositoryName repository, String commit, String tag) {
        int characters() {
            return 480 + 2 * (repository.id().length() + tag.length());
        }
    }

    SameContentFiles(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * The wait after failures.
     *
     * @param length of the last one; zero if nothing has failed
     * @param end the time before which nothing is fetched
     */
    private record Pause(Duration length, Instant end) {
        static final Pause NONE = new Pause(Duration.ZERO, Instant.MIN);

        boolean holds(Instant now) {
            return now.isBefore(end);
        }

        /**
         * Returns the pause after a failure now. Those that come while it holds are of the same round, and do not
         * double it.
         */
        Pause after(Instant now) {
            Duration next = length.isZero() ? FIRST_PAUSE : holds(now) ? length : doubled();
            return new Pause(next, now.plus(next));
        }

        private Duration doubled() {
            Duration twice = length.multipliedBy(2);
            return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
        }
    }

    /**
     * The paths of the files with one content.
     *
     * @param read in the cache, or about to be
     * @param seen of which only the head was asked for; those that could not be fetched, if one has been read
     */
    private record Files(Set<String> read, Set<String> seen, Pause pause) {
        static final Files NONE = new Files(Set.of(), Set.of(), Pause.NONE);

        int characters() {
            return 2
                    * (read.stream().mapToInt(String::length).sum()
                            + seen.stream().mapToInt(String::length).sum());
        }

        /**
         * Returns whether a request for a file changes anything, or has files fetched: most do not, and cost next to
         * nothing.
         */
        boolean isNews(String path, boolean isRead, Instant now) {
            boolean hasDue = mayFetch(isRead, now) && !seen.isEmpty();
            boolean isNew = !read.contains(path) && (seen.contains(path) ? isRead : hasRoom(isRead));
            return hasDue || isNew;
        }

        /** @param due takes the paths of the files to fetch */
        Files with(String path, boolean isRead, Instant now, List<String> due) {
            boolean isKnown = read.contains(path) || seen.contains(path);
            Set<String> waiting = isKnown || !hasRoom(isRead) ? seen : plus(seen, path);
            if (!mayFetch(isRead, now)) {
                // Who reads a file has it fetched.
                return isRead && waiting.contains(path)
                        ? new Files(plus(read, path), minus(waiting, path), pause)
                        : new Files(read, waiting, pause);
            }
            due.addAll(waiting);
            if (isRead) {
                due.remove(path);
            }
            Set<String> all = new HashSet<>(read);
            all.addAll(waiting);
            return new Files(Set.copyOf(all), Set.of(), pause);
        }

        private boolean mayFetch(boolean isRead, Instant now) {
            return (isRead || !read.isEmpty()) && !pause.holds(now);
        }

        private boolean hasRoom(boolean isRead) {
            boolean isFirstRead = isRead && read.isEmpty();
            return isFirstRead || read.size() + seen.size() < MOST_FILES;
        }

        /** Returns these with a file that is still to be fetched, after a pause. */
        Files without(String path, Instant now) {
            return read.contains(path) ? new Files(minus(read, path), plus(seen, path), pause.after(now)) : this;
        }

        private static Set<String> plus(Set<String> paths, String path) {
            Set<String> more = new HashSet<>(paths);
            more.add(path);
            return Set.copyOf(more);
        }

        private static Set<String> minus(Set<String> paths, String path) {
            Set<String> others = new HashSet<>(paths);
            others.remove(path);
            return Set.copyOf(others);
        }
    }

    /**
     * Notes that a file was answered. Returns the files to fetch, because one with the same content has been read;
     * after a pause also those that could not be fetched before.
     *
     * @param file at a commit
     * @param size of the file
     * @param isRead whether its bytes were asked for
     */
    List<HubRequest> note(HubRequest file, String tag, long size, boolean isRead) {
        Content content = new Content(file.repository(), file.revision(), tag);
        @Nullable Files before = known.getIfPresent(content);
        Instant now = clock.instant();
        if (before != null && !before.isNews(file.path(), isRead, now)) {
            return List.of();
        }
        List<String> due = new ArrayList<>();
        known.asMap().compute(content, (same, files) -> {
            due.clear();
            return (files == null ? Files.NONE : files).with(file.path(), isRead, now, due);
        });
        return due.stream()
                .limit(size <= 0 ? MOST_FILES : MOST_FETCHED / size)
                .map(path -> new HubRequest(Subject.FILE, file.repository(), file.revision(), path, ""))
                .toList();
    }

    /**
     * Notes that a file could not be fetched: after a pause the next request for one with its content has it tried
     * again.
     */
    void noteFailure(HubRequest file, String tag) {
        Content content = new Content(file.repository(), file.revision(), tag);
        known.asMap().computeIfPresent(content, (same, files) -> files.without(file.path(), clock.instant()));
    }
}
