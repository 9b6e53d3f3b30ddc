package io.millrace.cache.fill;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Schedulers;

/**
 * Limits the memory of all blocks that are being fetched. A claim that does not fit waits; waiting claims are granted
 * in order, those of readers first. Prefetches get at most half of the memory, less while
 * {@linkplain #throttlePrefetch throttled}, and none while a reader waits. Thread-safe.
 */
public final class MemoryBudget {
    /** At this share of the half, one block is prefetched at a time; below it there are pauses between blocks. */
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
     * Limits the memory of prefetches; at least one block is granted every 100 ms.
     *
     * @param share of the half that prefetches may use, 0 to 1
     */
    public void throttlePrefetch(double share) {
        List<Claim> granted;
        synchronized (this) {
            maxForPrefetch = (long) (size * share / 2);
            pauseNanos = share >= ONE_AT_A_TIME
                    ? 0
                    : Math.min(LONGEST_PAUSE_NANOS, (long) (FIRST_PAUSE_NANOS * ONE_AT_A_TIME / share));
            long now = System.nanoTime();
            pausesUntil = now + Math.min(pausesUntil - now, pauseNanos);
            granted = serve();
        }
        runGranted(granted);
    }

    /** Returns the reserved bytes. */
    public synchronized long used() {
        return used;
    }

    /** Returns whether a claim of a reader is waiting. */
    public synchronized boolean isShort() {
        return !waiting.isEmpty();
    }

    /** Returns whether so much is used that blocks of little use should be released. */
    synchronized boolean isCrowded() {
        return used > size / 4;
    }

    /** Returns whether any claim is waiting. */
    synchronized boolean isShortForPrefetch() {
        return isShort() || !waitingPrefetches.isEmpty();
    }

    /**
     * Claims memory.
     *
     * @param quiet whether this is a prefetch, for which no reader waits
     * @param reserved called on another thread when the claim is granted, unless it is {@linkplain Claim#isImmediate
     *     immediate}
     */
    Claim claim(long bytes, boolean quiet, Runnable reserved) {
        Claim claim = new Claim(bytes, quiet, reserved);
        synchronized (this) {
            boolean queued = quiet ? isShortForPrefetch() : isShort();
            if (!queued && fits(claim)) {
                take(claim);
                claim.immediate = true;
            } else {
                (quiet ? waitingPrefetches : waiting).add(claim);
            }
        }
        return claim;
    }

    /** A claim on the budget, granted or waiting. */
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

        /** Returns whether the claim was granted when it was made. */
        boolean isImmediate() {
            return immediate;
        }

        /** Moves a prefetch's claim to the readers' queue. */
        void promote() {
            List<Claim> granted;
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
                granted = serve();
            }
            runGranted(granted);
        }

        /** Releases a granted claim; called once. */
        void release() {
            List<Claim> granted;
            synchronized (MemoryBudget.this) {
                held = false;
                used -= bytes;
                usedByPrefetch -= prefetch ? bytes : 0;
                granted = serve();
            }
            runGranted(granted);
        }
    }

    private List<Claim> serve() {
        List<Claim> granted = new ArrayList<>();
        serve(waiting, granted);
        if (waiting.isEmpty()) {
            serve(waitingPrefetches, granted);
        }
        return granted;
    }

    private void serveAgain() {
        List<Claim> granted;
        synchronized (this) {
            serveScheduled = false;
            granted = serve();
        }
        runGranted(granted);
    }

    private void serve(Deque<Claim> queue, List<Claim> granted) {
        while (!queue.isEmpty() && fits(queue.peek())) {
            Claim next = queue.remove();
            take(next);
            granted.add(next);
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

    /**
     * Runs the callbacks on other threads, because each may release memory and grant the next claim, as deep as the
     * queue.
     */
    private static void runGranted(List<Claim> granted) {
        granted.forEach(claim -> Schedulers.parallel().schedule(claim.reserved));
    }

    /** Returns whether a claim fits. A single block always does, so that no claim waits forever. */
    private boolean fits(Claim claim) {
        boolean inShare = !claim.prefetch || usedByPrefetch == 0 || usedByPrefetch + claim.bytes <= maxForPrefetch;
        return inShare && (used == 0 || used + claim.bytes <= size) && (!claim.prefetch || isTime());
    }

    /** Returns whether the pause between prefetches is over; otherwise schedules the next attempt at its end. */
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
