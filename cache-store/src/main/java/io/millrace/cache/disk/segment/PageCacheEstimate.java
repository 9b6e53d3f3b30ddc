package io.millrace.cache.disk.segment;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A guess which bytes of segments the system holds in memory: those that were read or written lately, lately meaning that not
 * much more than that memory was read or written since. The JDK has no call that reads only what is in memory; a wrong guess
 * costs one slow read on an event loop, and after a very slow one all guesses begin anew. Safe for use by any number of threads.
 */
public final class PageCacheEstimate {
    /** A segment is looked at in parts of so many bytes, and so is what was touched. */
    private static final int PART_SHIFT = 20;

    private static final int PART_BYTES = 1 << PART_SHIFT;

    /** No read of memory takes this long, nor does a thread often wait so long for a core. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Bytes, and a part more: no stamp is 0. */
    private final AtomicLong touched = new AtomicLong(PART_BYTES);

    /** What was touched up to this stamp may have left memory. */
    private volatile int distrusted;

    private final int memory;

    /**
     * @param memory bytes of files that the system keeps, at a cautious guess
     */
    public PageCacheEstimate(long memory) {
        this.memory = (int) (memory >> PART_SHIFT);
    }

    /** When each part of a segment of so many bytes was touched: 0 if never. */
    static AtomicIntegerArray stamps(long bytes) {
        return new AtomicIntegerArray((int) (bytes >> PART_SHIFT) + 1);
    }

    /** Bytes were read or written. */
    public void touch(Segment segment, long position, long bytes) {
        AtomicIntegerArray stamps = segment.stamps();
        int last = part(stamps, position + bytes - 1);
        for (int part = part(stamps, position); part <= last; part++) {
            int now = stamp();
            if (stamps.getAndSet(part, now) != now) {
                touched.addAndGet(Math.min(bytes, PART_BYTES));
            }
        }
    }

    /** A read that should not have waited for the disk took so long. */
    public void took(long nanos) {
        if (nanos > SLOW_NANOS) {
            distrustAll();
        }
    }

    /** Something here is not as it was guessed: all guesses begin anew, and until then bytes are verified before they are sent. */
    public void distrustAll() {
        distrusted = stamp();
        touched.addAndGet(PART_BYTES);
    }

    /** Whether a read of these bytes probably does not wait for the disk. */
    public boolean holds(Segment segment, long position, long bytes) {
        AtomicIntegerArray stamps = segment.stamps();
        int now = stamp();
        if (now - distrusted > memory) {
            // Nothing that is older counts, and it must not come to look like the future.
            distrusted = now - memory;
        }
        int last = part(stamps, position + bytes - 1);
        for (int part = part(stamps, position); part <= last; part++) {
            if (!isRecent(stamps.get(part), now)) {
                return false;
            }
        }
        return true;
    }

    /** By differences, since stamps begin anew after some petabytes; one that another thread has just set may be ahead. */
    private boolean isRecent(int stamp, int now) {
        int age = now - stamp;
        return stamp != 0 && age >= -1 && age < memory && stamp - distrusted > 0;
    }

    private int stamp() {
        int stamp = (int) (touched.get() >>> PART_SHIFT);
        return stamp == 0 ? 1 : stamp;
    }

    private static int part(AtomicIntegerArray stamps, long position) {
        return (int) Math.max(0, Math.min(stamps.length() - 1L, position >> PART_SHIFT));
    }
}
