package io.millrace.cache.disk;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A clock that does not count time in which the whole process was paused. A stopped machine, a garbage collection or a
 * lack of cores counts as one step, so it is not taken for a disk that hangs. One thread steps; any thread may read.
 */
class PauseAwareClock {
    /** Milliseconds between steps. */
    static final long STEP_MILLIS = 100;

    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(2 * STEP_MILLIS);

    private final LongSupplier time;
    private long last;
    private final AtomicLong nanos = new AtomicLong();

    PauseAwareClock() {
        this(System::nanoTime);
    }

    /** @param time the nanoseconds of a clock that counts pauses too */
    PauseAwareClock(LongSupplier time) {
        this.time = time;
        this.last = time.getAsLong();
    }

    /** Returns the nanoseconds since its creation, as of the last step. */
    long nanos() {
        return nanos.get();
    }

    void step() {
        long now = time.getAsLong();
        nanos.addAndGet(Math.min(now - last, MOST_NANOS));
        last = now;
    }
}
