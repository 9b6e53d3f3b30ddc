package io.millrace.cache.disk.segment;

import io.millrace.cache.index.IndexEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file of an earlier run.
 *
 * @param named the number in its name, 0 if there is none
 * @param number what it is known by in this run: the same, unless a disk that was absent brought a number that another disk
 *     has used meanwhile
 * @param bytes its size
 */
public record ExistingSegmentFile(Path file, int named, int number, long bytes) {
    /**
     * Gives the files of a disk their numbers.
     *
     * @param taken the numbers of the other disks' files; these are added
     * @param last the highest number of all, raised where a new one is needed
     */
    public static List<ExistingSegmentFile> of(List<Path> files, Set<Integer> taken, AtomicInteger last) {
        return files.stream()
                .map(file -> {
                    int named = numberOf(file);
                    int number = taken.add(named) ? named : last.incrementAndGet();
                    return new ExistingSegmentFile(file, named, number, sizeOf(file));
                })
                .toList();
    }

    /**
     * The same of a disk that comes back into a running store: each gets a number that nothing has had, since one that is free now may
     * be another disk's in a moment, or have been.
     *
     * @param last the highest number of all, which is raised
     */
    public static List<ExistingSegmentFile> anew(List<Path> files, AtomicInteger last) {
        return files.stream()
                .map(file -> new ExistingSegmentFile(file, numberOf(file), last.incrementAndGet(), sizeOf(file)))
                .toList();
    }

    /** The highest number in these names. */
    public static int highest(List<Path> files) {
        return files.stream().mapToInt(ExistingSegmentFile::numberOf).max().orElse(0);
    }

    /** Numbers that no file may have. */
    public static Set<Integer> noneTaken() {
        return new HashSet<>(Set.of(0));
    }

    /** The number in a name; 0 if there is none. */
    static int numberOf(Path file) {
        String name = file.getFileName().toString();
        try {
            int number = Integer.parseInt(name.substring(0, name.length() - Segment.SUFFIX.length()));
            return number <= IndexEntry.MAX_SEGMENT ? Math.max(0, number) : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static long sizeOf(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }
}
