package io.millrace.cache.disk;

import org.jspecify.annotations.Nullable;

/**
 * The heartbeat of a disk's writer: tells for how long its current write has made no progress. Safe for use by any
 * number of threads.
 */
final class WriterHeartbeat {
    private final PauseAwareClock clock;

    /** Start of the running write, or its last progress; 0 if there is none. */
    private volatile long since;

    private volatile @Nullable Thread writer;

    WriterHeartbeat(PauseAwareClock clock) {
        this.clock = clock;
    }

    /** Marks the start of a write by this thread, which is the disk's writer. */
    void begin() {
        writer = Thread.currentThread();
        since = Math.max(1, clock.nanos());
    }

    /**
     * Marks the progress of a write. Of other threads, which do some of the writer's work when a disk is full, it
     * does not count.
     */
    void progress() {
        if (since != 0 && Thread.currentThread() == writer) {
            begin();
        }
    }

    /** Marks the end of a write. */
    void end() {
        since = 0;
    }

    /** Returns the nanoseconds for which a write hangs; 0 if none does. */
    long hangNanos() {
        long began = since;
        long nanos = clock.nanos() - began;
        return began != 0 && nanos > DiskHealth.WRITE_DEADLINE ? nanos : 0;
    }
}
