package io.millrace.backend.resilience;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stops requests to a backend that is down. It opens after {@link #MIN_FAILURES} failures within which nothing succeeded
 * for {@link #MIN_SILENCE}. While open it lets one probe a second through, and closes at the first success. So a backend
 * that fails half of its requests is still used, and one that is back is used at full speed within about a second.
 * Thread-safe.
 */
final class CircuitBreaker {
    static final int MIN_FAILURES = 10;
    static final Duration MIN_SILENCE = Duration.ofSeconds(1);
    static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);

    /** The decision on a request. */
    enum Admission {
        NORMAL,
        /** The request finds out whether the backend is back. */
        PROBE,
        REFUSED
    }

    private final LongSupplier nanoTime;
    private final AtomicLong nextProbe = new AtomicLong();
    private volatile boolean open;
    private volatile int failures;
    private long firstFailure;
    private volatile @Nullable String lastFailure;

    /**
     * @param nanoTime as {@link System#nanoTime}
     */
    CircuitBreaker(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    boolean isOpen() {
        return open;
    }

    /** Returns the message of the last failure. */
    Optional<String> lastFailure() {
        return Optional.ofNullable(lastFailure);
    }

    Admission admit() {
        if (!open) {
            return Admission.NORMAL;
        }
        long due = nextProbe.get();
        long now = nanoTime.getAsLong();
        return now - due >= 0 && nextProbe.compareAndSet(due, now + PROBE_INTERVAL.toNanos())
                ? Admission.PROBE
                : Admission.REFUSED;
    }

    /** Records a response that shows that the backend works, be it an error. */
    void succeeded() {
        if (failures > 0) {
            reset();
        }
    }

    private synchronized void reset() {
        failures = 0;
        open = false;
    }

    /**
     * Records a failure; returns whether it opened the breaker.
     *
     * @param message for operators
     */
    synchronized boolean failed(String message) {
        lastFailure = message;
        long now = nanoTime.getAsLong();
        int count = failures + 1;
        failures = count;
        if (count == 1) {
            firstFailure = now;
        }
        if (open || count < MIN_FAILURES || now - firstFailure < MIN_SILENCE.toNanos()) {
            return false;
        }
        nextProbe.set(now + PROBE_INTERVAL.toNanos());
        open = true;
        return true;
    }
}
