package io.millrace.backend.resilience;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stops requests to a backend that is down. A backend is suspected after {@link #MIN_FAILURES} failures within which
 * nothing succeeded for {@link #MIN_SILENCE}, or after as many throttling responses and nothing that succeeded for
 * {@link #MIN_THROTTLING}: a load balancer with nothing behind it answers 503, as a busy server does. It opens only if
 * a probe, a request of the gateway's own, fails too: one client's key that the backend cannot bear is no failure for
 * all. While open it wants one probe a second, and closes at the first success. So a backend that fails half of its
 * requests is still used, and one that is back is used at full speed within about a second. Thread-safe.
 */
final class CircuitBreaker {
    static final int MIN_FAILURES = 10;
    static final Duration MIN_SILENCE = Duration.ofSeconds(1);

    /** The concurrency limit needs up to some 3 s to fall to its least, which a busy server must get the time for. */
    static final Duration MIN_THROTTLING = Duration.ofSeconds(5);

    static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);

    /** The decision on a request. */
    enum Admission {
        NORMAL,
        /** The request waits for a probe, which finds out whether the backend is back. */
        PROBE,
        REFUSED
    }

    private final LongSupplier nanoTime;
    private final AtomicLong nextProbe;
    private volatile boolean open;
    private volatile boolean inTrouble;
    private boolean suspected;
    private final Streak failures = new Streak();
    private final Streak throttlings = new Streak();
    private volatile @Nullable String lastFailure;

    /** Responses of one kind since the last success. */
    private static final class Streak {
        int count;
        long begin;
        long last;
    }

    /**
     * @param nanoTime as {@link System#nanoTime}
     */
    CircuitBreaker(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.nextProbe = new AtomicLong(nanoTime.getAsLong());
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
        return isProbeDue() ? Admission.PROBE : Admission.REFUSED;
    }

    private boolean isProbeDue() {
        long due = nextProbe.get();
        long now = nanoTime.getAsLong();
        return now - due >= 0 && nextProbe.compareAndSet(due, now + PROBE_INTERVAL.toNanos());
    }

    /** Records a response that shows that the backend works, be it an error. */
    void succeeded() {
        if (inTrouble) {
            reset();
        }
    }

    private synchronized void reset() {
        inTrouble = false;
        failures.count = 0;
        throttlings.count = 0;
        suspected = false;
        open = false;
    }

    /**
     * Opens it after a probe without an answer; returns whether this opened it. A success since the suspicion forbids
     * it.
     */
    synchronized boolean open() {
        if (!suspected || open) {
            return false;
        }
        nextProbe.set(nanoTime.getAsLong() + PROBE_INTERVAL.toNanos());
        open = true;
        return true;
    }

    /**
     * Records a failure; returns whether the backend is suspected and a probe is due.
     *
     * @param message for operators
     */
    synchronized boolean failed(String message) {
        return record(failures, MIN_SILENCE, message);
    }

    /**
     * Records a throttling response, which is neither a failure nor a success; returns whether the backend is suspected
     * and a probe is due.
     *
     * @param message for operators
     */
    synchronized boolean throttled(String message) {
        if (nanoTime.getAsLong() - throttlings.last > MIN_THROTTLING.toNanos()) {
            // Those before a pause say nothing of the server now, and the limit must get its time to fall.
            throttlings.count = 0;
        }
        return record(throttlings, MIN_THROTTLING, message);
    }

    private boolean record(Streak streak, Duration least, String message) {
        inTrouble = true;
        lastFailure = message;
        long now = nanoTime.getAsLong();
        if (streak.count == 0) {
            streak.begin = now;
        }
        streak.count++;
        streak.last = now;
        if (open || streak.count < MIN_FAILURES || now - streak.begin < least.toNanos()) {
            return false;
        }
        suspected = true;
        return isProbeDue();
    }
}
