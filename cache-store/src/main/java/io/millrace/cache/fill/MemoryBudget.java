package io.millrace.cache.fill;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Schedulers;

/**
 * Bytes that fills may hold together. Who gets none now is told when there are some, in the order they asked: those whom readers
 * wait for first. Who works ahead of readers has half of it at most, less where he is {@link #throttlePrefetch asked to be slow}, and none while a
 * reader waits.
 */
public final class MemoryBudget {
    /** With so small a share of the half one block comes at a time; with a smaller one there are pauses between them. */
    private static final double ONE_AT_A_TIME = 1 / 8192.0;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long size;
    private final Deque<Claim> waiting = new ArrayDeque<>();
    private final Deque<Claim> waitingPrefetches = new ArrayDeque<>();
    private long used;
    private long usedByPrefetch;
    private long maxForPrefetch;
    private long pauseNanos;
    private long pausesUntil = System.nanoTime();
    private boolean serveScheduled;

    /**
     * @param size bytes
     */
    public MemoryBudget(long size) {
        this.size = size;
        this.maxForPrefetch = size / 2;
    }

    /**
     * From now on who works ahead of readers has so much at most; something is let through every 100 ms at least.
     *
     * @param share of the half that he may have, 0 to 1
     */
    public void throttlePrefetch(double share) {
        List<Claim> lucky;
        synchronized (this) {
            maxForPrefetch = (long) (size * share / 2);
            pauseNanos = share >= ONE_AT_A_TIME
                    ? 0
                    : Math.min(LONGEST_PAUSE_NANOS, (long) (FIRST_PAUSE_NANOS * ONE_AT_A_TIME / share));
            long now = System.nanoTime();
            pausesUntil = now + Math.min(pausesUntil - now, pauseNanos);
            lucky = serve();
        }
        runGranted(lucky);
    }

    /** Bytes that are reserved now. */
    public synchronized long used() {
        return used;
    }

    /** Whether somebody waits for some whom a reader waits for. */
    public synchronized boolean isShort() {
        return !waiting.isEmpty();
    }

    /** Whether so much is used that what is hardly of use should go. */
    synchronized boolean isCrowded() {
        return used > size / 4;
    }

    /** Whether somebody waits for some at all. */
    synchronized boolean isShortForPrefetch() {
        return isShort() || !waitingPrefetches.isEmpty();
    }

    /**
     * Claims so many bytes.
     *
     * @param quiet whether no reader waits for them
     * @param reserved called on another thread when they were taken, unless that was {@link Claim#immediate}
     */
    Claim claim(long bytes, boolean quiet, Runnable reserved) {
        Claim claim = new Claim(bytes, quiet, reserved);
        synchronized (this) {
            boolean behind = quiet ? isShortForPrefetch() : isShort();
            if (!behind && fits(claim)) {
                take(claim);
                claim.immediate = true;
            } else {
                (quiet ? waitingPrefetches : waiting).add(claim);
            }
        }
        return claim;
    }

    /** Some bytes of the budget, or the wish for them. */
    final class Claim {
        private final long bytes;
        private final Runnable reserved;
        private boolean prefetch;
        private boolean held;
        private boolean immediate;

        private Claim(long bytes, boolean quiet, Runnable reserved) {
            this.bytes = bytes;
            this.prefetch = quiet;
            this.reserved = reserved;
        }

        /** Whether the bytes were taken when they were claimed. */
        boolean isImmediate() {
            return immediate;
        }

        /** A reader waits for them now. */
        void promote() {
            List<Claim> lucky;
            synchronized (MemoryBudget.this) {
                if (!prefetch) {
                    return;
                }
                prefetch = false;
                if (held) {
                    usedByPrefetch -= bytes;
                } else if (waitingPrefetches.remove(this)) {
                    waiting.add(this);
                }
                lucky = serve();
            }
            runGranted(lucky);
        }

        /** Gives the bytes back, which were taken; once. */
        void release() {
            List<Claim> lucky;
            synchronized (MemoryBudget.this) {
                held = false;
                used -= bytes;
                usedByPrefetch -= prefetch ? bytes : 0;
                lucky = serve();
            }
            runGranted(lucky);
        }
    }

    private List<Claim> serve() {
        List<Claim> lucky = new ArrayList<>();
        serve(waiting, lucky);
        if (waiting.isEmpty()) {
            serve(waitingPrefetches, lucky);
        }
        return lucky;
    }

    private void serveAgain() {
        List<Claim> lucky;
        synchronized (this) {
            serveScheduled = false;
            lucky = serve();
        }
        runGranted(lucky);
    }

    private void serve(Deque<Claim> queue, List<Claim> lucky) {
        while (!queue.isEmpty() && fits(queue.peek())) {
            Claim next = queue.remove();
            take(next);
            lucky.add(next);
        }
    }

    private void take(Claim claim) {
        claim.held = true;
        used += claim.bytes;
        if (claim.prefetch) {
            usedByPrefetch += claim.bytes;
            pausesUntil = System.nanoTime() + pauseNanos;
        }
    }

    /** On other threads: what goes on now may end at once and give back in turn, as deep as there are waiting ones. */
    private static void runGranted(List<Claim> lucky) {
        lucky.forEach(claim -> Schedulers.parallel().schedule(claim.reserved));
    }

    /** One block fits in any case, so that nobody waits for ever. */
    private boolean fits(Claim claim) {
        boolean inShare = !claim.prefetch || usedByPrefetch == 0 || usedByPrefetch + claim.bytes <= maxForPrefetch;
        return inShare && (used == 0 || used + claim.bytes <= size) && (!claim.prefetch || isTime());
    }

    /** Whether who works ahead need not pause any more; if he must, he is served behind that. */
    private boolean isTime() {
        long left = pausesUntil - System.nanoTime();
        if (left <= 0) {
            return true;
        }
        if (!serveScheduled) {
            serveScheduled = true;
            Schedulers.parallel().schedule(this::serveAgain, left, TimeUnit.NANOSECONDS);
        }
        return false;
    }
}
