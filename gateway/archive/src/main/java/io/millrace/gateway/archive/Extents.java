package io.millrace.gateway.archive;

import java.util.Arrays;

/** Parts of an archive, kept to see whether two of them overlap: 16 bytes each. */
final class Extents {
    private long[] starts = new long[16];
    private long[] ends = new long[16];
    private int count;

    void add(long start, long end) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count + count / 2);
            ends = Arrays.copyOf(ends, starts.length);
        }
        starts[count] = start;
        ends[count] = end;
        count++;
    }

    int count() {
        return count;
    }

    /**
     * Returns the start of a part that begins before another one has ended; -1 if there is none. Sorts starts and ends
     * each for themselves: where two parts overlap, more have begun than ended.
     */
    long firstOverlap() {
        Arrays.sort(starts, 0, count);
        Arrays.sort(ends, 0, count);
        for (int i = 1; i < count; i++) {
            if (ends[i - 1] > starts[i]) {
                return starts[i];
            }
        }
        return -1;
    }
}
