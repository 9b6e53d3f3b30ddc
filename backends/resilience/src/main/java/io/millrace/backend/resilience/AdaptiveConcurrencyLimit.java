package io.millrace.backend.resilience;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A limit on the concurrent requests to a backend that falls when the backend throttles and rises while it does not. It is
 * adapted by additive increase and multiplicative decrease: a throttling response takes three tenths off the limit, and
 * as many other responses as the limit is add one. Further requests queue in order. Thread-safe.
 */
final class AdaptiveConcurrencyLimit {
    /** The least limit. */
    static final int MIN = 4;

    /** The most requests in the queue; further ones are refused. */
    static final int MAX_WAITING = 10_000;

    private static final double DECREASE = 0.7;

    /** Throttling responses within this time answer requests that were sent before the last decrease. */
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final int max;
    private final LongSupplier nanoTime;
    private final Deque<Waiter> waiting = new ArrayDeque<>();
    private double limit;
    private int inFlight;
    private long decreasedAt;

    /** A request in the queue. Its methods are called on any thread, one of them once. */
    interface Waiter {
        /** Called when the request may be sent. */
        void granted();

        /** Called when it will not be sent. */
        void refused();
    }

    AdaptiveConcurrencyLimit(int max, LongSupplier nanoTime) {
        this.max = max;
        this.limit = max;
        this.nanoTime = nanoTime;
        this.decreasedAt = nanoTime.getAsLong() - SETTLE_NANOS;
    }

    synchronized int limit() {
        return (int) limit;
    }

    synchronized int inFlight() {
        return inFlight;
    }

    synchronized int waiting() {
        return waiting.size();
    }

    /** Takes a place, now or when {@code waiter} is granted it; each place is given back by {@link #release}. */
    Acquisition acquire(Waiter waiter) {
        synchronized (this) {
            if (inFlight < (int) limit) {
                inFlight++;
                return Acquisition.GRANTED;
            }
            if (waiting.size() >= MAX_WAITING) {
                return Acquisition.REFUSED;
            }
            waiting.add(waiter);
            return Acquisition.QUEUED;
        }
    }

    /** The result of {@link #acquire}. */
    enum Acquisition {
        GRANTED,
        QUEUED,
        REFUSED
    }

    /** Gives a place back. */
    void release() {
        Waiter next;
        synchronized (this) {
            next = inFlight <= (int) limit ? waiting.poll() : null;
            if (next == null) {
                inFlight--;
            }
        }
        if (next != null) {
            next.granted();
        }
    }

    /** Takes a request out of the queue; returns false if it has left it. */
    synchronized boolean remove(Waiter waiter) {
        return waiting.remove(waiter);
    }

    /** Refuses all requests in the queue. */
    void refuseWaiting() {
        List<Waiter> refused;
        synchronized (this) {
            refused = new ArrayList<>(waiting);
            waiting.clear();
        }
        refused.forEach(Waiter::refused);
    }

    /** Raises the limit after a response. */
    synchronized void answered() {
        if (limit < max) {
            limit = Math.min(max, limit + 1 / limit);
        }
    }

    /** Lowers the limit after a throttling response. */
    synchronized void throttled() {
        long now = nanoTime.getAsLong();
        if (now - decreasedAt >= SETTLE_NANOS) {
            decreasedAt = now;
            limit = Math.min(limit, Math.max(Math.min(MIN, max), Math.min(limit, inFlight) * DECREASE));
        }
    }
}
