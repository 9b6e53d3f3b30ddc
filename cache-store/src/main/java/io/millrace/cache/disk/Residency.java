package io.millrace.cache.disk;

import io.millrace.cache.index.Entry;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A guess which bytes of segments the system holds in memory: those that were read or written lately, lately meaning that not
 * much more than that memory was read or written since. The JDK has no call that reads only what is in memory; a wrong guess
 * costs one slow read on an event loop, and after a very slow one all guesses begin anew. Safe for use by any number of threads.
 */
final class Residency {
    /** Parts a segment is looked at in. */
    static final int PARTS = 256;

    private static final int PART_BYTES = (int) (Entry.MAX_SEGMENT_BYTES / PARTS);

    /** No read of memory takes this long, nor does a thread often wait so long for a core. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final AtomicLong touched = new AtomicLong();

    /** What was touched up to here may have left memory. */
    private volatile long distrusted;

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

    /** A read that should not have waited for the disk took so long. */
    void took(long nanos) {
        if (nanos > SLOW_NANOS) {
            distrustAll();
        }
    }

    /** Something here is not as it was guessed: all guesses begin anew, and until then bytes are verified before they are sent. */
    void distrustAll() {
        distrusted = touched.get();
    }

    /** Whether a read of these bytes probably does not wait for the disk. */
    boolean isLikely(Segment segment, long position, long bytes) {
        long now = touched.get();
        int last = part(position + bytes - 1);
        for (int part = part(position); part <= last; part++) {
            if (!isRecent(segment, part, now)) {
                return false;
            }
        }
        return true;
    }

    private boolean isRecent(Segment segment, int part, long now) {
        long stamp = segment.stamps().get(part);
        return stamp > distrusted && now - stamp < memory;
    }

    private static int part(long position) {
        return (int) Math.max(0, Math.min(PARTS - 1L, position / PART_BYTES));
    }
}
