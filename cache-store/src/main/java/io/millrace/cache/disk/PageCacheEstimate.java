package io.millrace.cache.disk;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Estimates which bytes of segment files are in the page cache, from recent reads and writes. Bytes count as cached
 * until about as much as that memory was read or written after them. The JDK has no call that reads only cached pages.
 * A wrong estimate costs one slow read on an event loop; a very slow read resets all estimates. Safe for use by any
 * number of threads.
 */
final class PageCacheEstimate {
    /** Segments are tracked in parts of this many bytes. */
    private static final int PART_SHIFT = 20;

    private static final int PART_BYTES = 1 << PART_SHIFT;

    /** No read from memory takes this long, and threads rarely wait so long for a core. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Bytes read and written so far, plus one part so that no stamp is 0. */
    private final AtomicLong touched = new AtomicLong(PART_BYTES);

    /** Parts with this stamp or an older one may have left memory. */
    private volatile int distrusted;

    private final int memory;

    /** @param memory bytes of the page cache, at a cautious estimate */
    PageCacheEstimate(long memory) {
        this.memory = (int) (memory >> PART_SHIFT);
    }

    /** Returns the stamps of a segment: when each part was read or written last, 0 if never. */
    static AtomicIntegerArray stamps(long bytes) {
        return new AtomicIntegerArray((int) (bytes >> PART_SHIFT) + 1);
    }

    /** Records that bytes were read or written. */
    void touch(Segment segment, long position, long bytes) {
        AtomicIntegerArray stamps = segment.stamps();
        int last = part(stamps, position + bytes - 1);
        for (int part = part(stamps, position); part <= last; part++) {
            int now = stamp();
            if (stamps.getAndSet(part, now) != now) {
                touched.addAndGet(Math.min(bytes, PART_BYTES));
            }
        }
    }

    /** Records the duration of a read that should have been served from memory. */
    void took(long nanos) {
        if (nanos > SLOW_NANOS) {
            distrustAll();
        }
    }

    /** Resets all estimates, so that bytes are read and verified again before they are sent. */
    void distrustAll() {
        distrusted = stamp();
        touched.addAndGet(PART_BYTES);
    }

    /** Returns whether a read of these bytes probably does not wait for the disk. */
    boolean holds(Segment segment, long position, long bytes) {
        AtomicIntegerArray stamps = segment.stamps();
        int now = stamp();
        if (now - distrusted > memory) {
            // Keeps the stamp within range: an older one would come to look like the future.
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

    /**
     * Compares by difference, because stamps wrap around after some petabytes; one just set by another thread may be
     * ahead.
     */
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
