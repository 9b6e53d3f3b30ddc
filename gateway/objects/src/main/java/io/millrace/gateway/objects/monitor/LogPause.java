package io.millrace.gateway.objects.monitor;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A minute between the lines of a warning, so that a flood of its causes does not become a flood of lines. Thread-safe.
 */
public final class LogPause {
    private static final long NANOS = Duration.ofMinutes(1).toNanos();

    private final AtomicLong loggedAt = new AtomicLong(System.nanoTime() - NANOS);

    /** Returns whether a line may be logged now; the next may be in a minute. */
    public boolean begin() {
        long now = System.nanoTime();
        long last = loggedAt.get();
        return now - last >= NANOS && loggedAt.compareAndSet(last, now);
    }
}
