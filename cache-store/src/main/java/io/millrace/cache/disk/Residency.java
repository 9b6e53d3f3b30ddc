package io.millrace.cache.disk;

import io.millrace.cache.index.Entry;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A guess which bytes of segments the system holds in memory: those that were read or written lately, lately meaning that not
 * much more than that memory was read or written since. The JDK has no call that reads only what is in memory; a wrong guess
 * costs one slow read on an event loop. Safe for use by any number of threads.
 */
final class Residency {
    /** Parts a segment is looked at in. */
    static final int PARTS = 256;

    private static final int PART_BYTES = (int) (Entry.MAX_SEGMENT_BYTES / PARTS);

    private final AtomicLong touched = new AtomicLong();
    private final long memory;

    /**
     * @param memory bytes of files that the system keeps, at a cautious guess
     */
    Residency(long memory) {
        this.memory = memory;
    }

    /** Bytes were read or written. */
    void touch(Segment segment, long position, long bytes) {
        int last = part(position + bytes - 1);
        for (int part = part(position); part <= last; part++) {
            long now = touched.get();
            long before = segment.stamps().getAndSet(part, now + 1);
            if (before == 0 || now - before >= PART_BYTES) {
                touched.addAndGet(Math.min(bytes, PART_BYTES));
            }
        }
    }

    /** Whether a read of these bytes probably does not wait for the disk. */
    boolean isLikely(Segment segment, long position, long bytes) {
        long now = touched.get();
        return isRecent(segment, part(position), now) && isRecent(segment, part(position + bytes - 1), now);
    }

    private boolean isRecent(Segment segment, int part, long now) {
        long stamp = segment.stamps().get(part);
        return stamp != 0 && now - stamp < memory;
    }

    private static int part(long position) {
        return (int) Math.max(0, Math.min(PARTS - 1L, position / PART_BYTES));
    }
}
