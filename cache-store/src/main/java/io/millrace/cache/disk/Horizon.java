package io.millrace.cache.disk;

import java.util.List;
import java.util.TreeMap;

/**
 * How far back all that earlier runs left is known: segments are read from those with the highest sequence numbers down, and a head
 * that is higher than all of what is not read yet is the newest of its key. Safe for use by any number of threads.
 */
final class Horizon {
    private final TreeMap<Long, Integer> unread = new TreeMap<>();
    private int unknown;
    private volatile long highest = Long.MAX_VALUE;

    /** @param disks whose segments are not known yet */
    Horizon(int disks) {
        this.unknown = disks;
        refresh();
    }

    /** One more disk has told the highest sequence number of each of its segments. */
    synchronized void expect(List<Long> segments) {
        segments.forEach(sequence -> unread.merge(sequence, 1, Integer::sum));
        unknown--;
        refresh();
    }

    /** One of them is in the index. */
    synchronized void read(long sequence) {
        unread.computeIfPresent(sequence, (key, count) -> count == 1 ? null : count - 1);
        refresh();
    }

    /** What is not read yet has no higher sequence number; 0 if all is read. */
    long highest() {
        return highest;
    }

    private void refresh() {
        highest = unknown > 0 ? Long.MAX_VALUE : unread.isEmpty() ? 0 : unread.lastKey();
    }
}
