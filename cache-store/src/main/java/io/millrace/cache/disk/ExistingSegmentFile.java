package io.millrace.cache.disk;

import io.millrace.cache.index.IndexEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A segment file that an earlier run of the program left on a cache disk.
 *
 * @param named the number in its name, 0 if there is none
 * @param number its number in this run: {@code named}, unless another disk has used that number while this one was
 *     absent
 * @param bytes its size
 */
record ExistingSegmentFile(Path file, int named, int number, long bytes) {
    /**
     * Assigns numbers to the files of a disk.
     *
     * @param taken numbers of the other disks' files; those of this disk are added
     * @param segments gives new numbers where they are needed
     */
    static List<ExistingSegmentFile> of(List<Path> files, Set<Integer> taken, SegmentTable segments) {
        return files.stream()
                .map(file -> {
                    int named = numberOf(file);
                    int number = taken.add(named) ? named : segments.nextNumber();
                    return new ExistingSegmentFile(file, named, number, sizeOf(file));
                })
                .toList();
    }

    /**
     * Assigns a new number to each file of a disk that returns to a running store: a number that is free now may have
     * been another disk's, or become it in a moment.
     *
     * @param segments gives the numbers
     */
    static List<ExistingSegmentFile> renumber(List<Path> files, SegmentTable segments) {
        return files.stream()
                .map(file -> new ExistingSegmentFile(file, numberOf(file), segments.nextNumber(), sizeOf(file)))
                .toList();
    }

    /** Returns the highest number in these names. */
    static int highest(List<Path> files) {
        return files.stream().mapToInt(ExistingSegmentFile::numberOf).max().orElse(0);
    }

    /** Returns a set of the numbers that no file may have. */
    static Set<Integer> noneTaken() {
        return new HashSet<>(Set.of(0));
    }

    /** Returns the number in a name; 0 if there is none. */
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
