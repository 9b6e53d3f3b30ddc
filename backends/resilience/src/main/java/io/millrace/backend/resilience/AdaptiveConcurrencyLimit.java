package io.millrace.backend.resilience;

import io.millrace.kit.async.DrainLoop;
import io.millrace.kit.share.Party;
import io.millrace.kit.share.TurnQueue;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A limit on the concurrent requests to a backend that falls when the backend throttles and rises while it does not. It
 * is adapted by additive increase and multiplicative decrease: a throttling response takes three tenths off the limit,
 * and as many other responses as the limit is add one. A request holds a place until its response begins, and one of
 * the backend's connections until the body of the response has ended. Further requests queue, and their parties take
 * turns. Uploads, which hold their places as long as clients like, leave a quarter of the limit to others, however low
 * it falls. Thread-safe.
 */
final class AdaptiveConcurrencyLimit {
    /** The least limit. */
    static final int MIN = 4;

    /** The most requests in the queue; further ones are refused, as are those of one party beyond half of it. */
    static final int MAX_WAITING = 10_000;

    private static final Logger log = LoggerFactory.getLogger(AdaptiveConcurrencyLimit.class);

    private static final double DECREASE = 0.7;

    /** The requests that leave the queue before other tasks of the executor have their turn. */
    private static final int AT_A_TIME = 64;

    /** Throttling responses within this time answer requests that were sent before the last decrease. */
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final int max;
    private final int maxConnections;
    private final LongSupplier nanoTime;
    private final TurnQueue<Waiter> waiting = new TurnQueue<>(MAX_WAITING);
    private final TurnQueue<Waiter> waitingUploads = new TurnQueue<>(MAX_WAITING);

    /** Those that have left the queue and do not know yet that they are refused. */
    private final Queue<Waiter> refused = new ArrayDeque<>();

    /**
     * Runs those that leave the queue. Never in the call stack of who gives a place back: that may be an event loop's,
     * and hold locks.
     */
    private final DrainLoop turns;

    private double limit;
    private int inFlight;
    private int uploads;
    private int connections;
    private boolean isTurnOfUploads;
    private long decreasedAt;

    /** A request in the queue. Its last two methods are called by the executor, one of them once. */
    interface Waiter {
        /** Returns the one that the request is counted to. */
        Party party();

        /** Returns whether its response waits for a body that is streamed to the backend. */
        boolean isUpload();

        /** Called when the request may be sent. */
        void granted();

        /** Called when it will not be sent. */
        void refused();
    }

    /**
     * @param maxConnections the most connections, so that it is this queue in which requests wait for one
     * @param executor runs requests that have waited
     */
    AdaptiveConcurrencyLimit(int max, int maxConnections, LongSupplier nanoTime, Executor executor) {
        this.max = max;
        this.maxConnections = maxConnections;
        this.limit = max;
        this.nanoTime = nanoTime;
        this.decreasedAt = nanoTime.getAsLong() - SETTLE_NANOS;
        this.turns = new DrainLoop(executor, this::serve, () -> {});
    }

    synchronized int limit() {
        return (int) limit;
    }

    synchronized int inFlight() {
        return inFlight;
    }

    synchronized int waiting() {
        return waiting.size() + waitingUploads.size();
    }

    /**
     * Takes a place and a connection, now or when {@code waiter} is granted them. They are given back by {@link
     * #release}, or one after the other by {@link #responded} and {@link #disconnected}.
     */
    Acquisition acquire(Waiter waiter) {
        boolean isUpload = waiter.isUpload();
        boolean isRoomLeft;
        synchronized (this) {
            isRoomLeft = hasRoom(isUpload);
            if (isRoomLeft && queue(isUpload).isEmpty()) {
                take(isUpload);
                return Acquisition.GRANTED;
            }
            if (!queue(isUpload).offer(waiter.party(), waiter)) {
                return Acquisition.REFUSED;
            }
        }
        if (isRoomLeft) {
            // The limit has risen since the last one was given back.
            turns.signal();
        }
        return Acquisition.QUEUED;
    }

    /** The result of {@link #acquire}. */
    enum Acquisition {
        GRANTED,
        QUEUED,
        REFUSED
    }

    private TurnQueue<Waiter> queue(boolean ofUploads) {
        return ofUploads ? waitingUploads : waiting;
    }

    private boolean hasRoom(boolean forUpload) {
        int now = (int) limit;
        int places = forUpload ? inFlight : inFlight - uploads + Math.min(uploads, now - now / 4);
        return places < now && connections < maxConnections;
    }

    private void take(boolean forUpload) {
        inFlight++;
        connections++;
        uploads += forUpload ? 1 : 0;
    }

    /** Gives a place and a connection back. */
    void release(boolean ofUpload) {
        boolean isAwaited;
        synchronized (this) {
            inFlight--;
            connections--;
            uploads -= ofUpload ? 1 : 0;
            isAwaited = isAwaited();
        }
        serveIf(isAwaited);
    }

    /** Gives a place back whose connection still brings the body of the response. */
    void responded() {
        boolean isAwaited;
        synchronized (this) {
            inFlight--;
            isAwaited = isAwaited();
        }
        serveIf(isAwaited);
    }

    /** Gives the connection back. */
    void disconnected() {
        boolean isAwaited;
        synchronized (this) {
            connections--;
            isAwaited = isAwaited();
        }
        serveIf(isAwaited);
    }

    /** While nobody waits, as nearly always, what is given back costs no task of another thread. */
    private void serveIf(boolean isAwaited) {
        if (isAwaited) {
            turns.signal();
        }
    }

    private boolean isAwaited() {
        return !waiting.isEmpty() || !waitingUploads.isEmpty();
    }

    private boolean serve() {
        for (int served = 0; served < AT_A_TIME; served++) {
            @Nullable Runnable next = next();
            if (next == null) {
                return true;
            }
            try {
                next.run();
            } catch (RuntimeException | Error failure) { // an Error too, or nobody would have a turn any more
                log.error("A request that waited for its turn failed", failure);
            }
        }
        return false;
    }

    private synchronized @Nullable Runnable next() {
        @Nullable Waiter unserved = refused.poll();
        if (unserved != null) {
            return unserved::refused;
        }
        // In turn, so that neither kind waits for ever while there are always some of the other.
        @Nullable Waiter next = next(isTurnOfUploads);
        if (next == null) {
            next = next(!isTurnOfUploads);
        }
        if (next == null) {
            return null;
        }
        isTurnOfUploads = !next.isUpload();
        return next::granted;
    }

    private @Nullable Waiter next(boolean upload) {
        @Nullable Waiter next = hasRoom(upload) ? queue(upload).poll() : null;
        if (next != null) {
            take(upload);
        }
        return next;
    }

    /** Takes a request out of the queue; returns false if it has left it. */
    synchronized boolean remove(Waiter waiter) {
        return queue(waiter.isUpload()).remove(waiter.party(), waiter);
    }

    /** Refuses all requests in the queue. */
    void refuseWaiting() {
        synchronized (this) {
            refused.addAll(waiting.drain());
            refused.addAll(waitingUploads.drain());
        }
        turns.signal();
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
