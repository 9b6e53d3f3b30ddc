package io.millrace.cache.disk.io;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Time that goes on only while this process does: a pause of all of it (a stopped machine, a collection, no core free) counts as
 * one step and is not taken for a disk that stands still. One thread steps, any may look.
 */
public class PauseAwareClock {
    /** How often it is stepped. */
    public static final long STEP_MILLIS = 100;

    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(2 * STEP_MILLIS);

    private long last = System.nanoTime();
    private final AtomicLong nanos = new AtomicLong();

    /** Nanoseconds since the beginning, as of the last step. */
    long nanos() {
        return nanos.get();
    }

    public void step() {
        long now = System.nanoTime();
        nanos.addAndGet(Math.min(now - last, MOST_NANOS));
        last = now;
    }
}
