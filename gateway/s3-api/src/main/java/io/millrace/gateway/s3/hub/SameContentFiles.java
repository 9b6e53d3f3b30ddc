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
     * @param seen of which only the head was asked for; none if one has been read
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
            boolean isFirstRead = isRead && read.isEmpty();
            boolean isFull = read.size() + seen.size() >= MOST_FILES;
            if (read.contains(path) || (isFull && !isFirstRead)) {
                return this;
            }
            if (!isRead && read.isEmpty()) {
                return new Files(read, plus(seen, Set.of(path)));
            }
            due.addAll(seen);
            due.remove(path);
            if (!isRead) {
                due.add(path);
            }
            return new Files(plus(plus(read, seen), Set.of(path)), Set.of());
        }

        private static Set<String> plus(Set<String> paths, Set<String> more) {
            Set<String> all = new HashSet<>(paths);
            all.addAll(more);
            return Set.copyOf(all);
        }
    }

    /**
     * Notes that a file was answered. Returns the files to fetch, because one with the same content has been read.
     *
     * @param file at a commit
     * @param size of the file
     * @param isRead whether its bytes were asked for
     */
    List<HubRequest> note(HubRequest file, String tag, long size, boolean isRead) {
        Content content = new Content(file.repository(), file.revision(), tag);
        @Nullable Files before = known.getIfPresent(content);
        if (before != null && before.read().contains(file.path())) {
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
}
