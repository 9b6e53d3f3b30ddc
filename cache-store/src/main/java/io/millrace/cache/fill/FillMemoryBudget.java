package io.millrace.cache.fill;

import io.millrace.kit.share.Party;
import io.millrace.kit.share.TurnQueue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * Limits the memory of all blocks that are being fetched. A claim that does not fit waits; the waiting claims of a
 * backend are granted as their parties take turns, those of readers before those of prefetches. Prefetches get at most
 * half of the memory, less while {@linkplain #throttlePrefetch throttled}, and none while a reader waits for memory.
 *
 * <p>No backend gets more than three times what is free: one that hangs holds three quarters at most, two hold three
 * sevenths each, and the others go on with the rest, also one that is read for the first time then. Thread-safe.
 */
public final class FillMemoryBudget {
    /** At this share of the half, one block is prefetched at a time; below it there are pauses between blocks. */
    private static final double ONE_AT_A_TIME = 1 / 8192.0;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The most memory of a backend as a multiple of the free memory. */
    private static final long SHARE = 3;

    private final long size;
    private final LongSupplier nanoTime;

    /** By backend; never removed, because there are few. */
    private final Map<String, BackendAccount> accounts = new LinkedHashMap<>();

    private long used;
    private long usedByPrefetch;
    private long maxForPrefetch;
    private long pauseNanos;
    private long pausesUntil;
    private boolean serveScheduled;

    /** The claims of one backend. */
    private static final class BackendAccount {
        private final TurnQueue<Claim> waiting = new TurnQueue<>(Integer.MAX_VALUE);
        private final TurnQueue<Claim> waitingPrefetches = new TurnQueue<>(Integer.MAX_VALUE);
        private long used;
    }

    /**
     * @param size bytes
     */
    public FillMemoryBudget(long size) {
        this(size, System::nanoTime);
    }

    /** @param nanoTime as {@link System#nanoTime} */
    FillMemoryBudget(long size, LongSupplier nanoTime) {
        this.size = size;
        this.nanoTime = nanoTime;
        this.maxForPrefetch = size / 2;
        this.pausesUntil = nanoTime.getAsLong();
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
            long now = nanoTime.getAsLong();
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
    synchronized boolean isShort() {
        return accounts.values().stream().anyMatch(account -> !account.waiting.isEmpty());
    }

    /** Returns whether a claim of a reader from this backend is waiting. */
    public synchronized boolean isShort(String backend) {
        return !account(backend).waiting.isEmpty();
    }

    /** Returns whether so much is used that blocks of little use should be released. */
    synchronized boolean isCrowded() {
        return used > size / 4;
    }

    /** Returns whether a prefetch from this backend would wait. */
    synchronized boolean isShortForPrefetch(String backend) {
        BackendAccount account = account(backend);
        return !account.waiting.isEmpty() || !account.waitingPrefetches.isEmpty() || readersWaitForMemory();
    }

    /**
     * Claims memory.
     *
     * @param backend the name of the backend that the block is fetched from
     * @param party the reader, who takes turns with others
     * @param quiet whether this is a prefetch, for which no reader waits
     * @param reserved called on another thread when the claim is granted, unless it is {@linkplain Claim#isImmediate
     *     immediate}
     */
    Claim claim(String backend, Party party, long bytes, boolean quiet, Runnable reserved) {
        synchronized (this) {
            Claim claim = new Claim(account(backend), party, bytes, quiet, reserved);
            boolean queued = quiet ? isShortForPrefetch(backend) : isShort(backend);
            if (!queued && fits(claim)) {
                take(claim);
                claim.immediate = true;
            } else {
                claim.queue();
            }
            return claim;
        }
    }

    private BackendAccount account(String backend) {
        return accounts.computeIfAbsent(backend, name -> new BackendAccount());
    }

    /** A claim on the budget, granted or waiting. */
    final class Claim {
        private final BackendAccount account;
        private final Party party;
        private final long bytes;
        private final Runnable reserved;
        private boolean prefetch;
        private boolean held;
        private boolean immediate;

        private Claim(BackendAccount account, Party party, long bytes, boolean quiet, Runnable reserved) {
            this.account = account;
            this.party = party;
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
            synchronized (FillMemoryBudget.this) {
                if (!prefetch) {
                    return;
                }
                prefetch = false;
                if (held) {
                    usedByPrefetch -= bytes;
                } else if (account.waitingPrefetches.remove(party, this)) {
                    queue();
                }
                granted = serve();
            }
            runGranted(granted);
        }

        private void queue() {
            if (!(prefetch ? account.waitingPrefetches : account.waiting).offer(party, this)) {
                throw new IllegalStateException("more claims wait than there can be");
            }
        }

        /** Releases a granted claim; called once. */
        void release() {
            List<Claim> granted;
            synchronized (FillMemoryBudget.this) {
                held = false;
                used -= bytes;
                account.used -= bytes;
                usedByPrefetch -= prefetch ? bytes : 0;
                granted = serve();
            }
            runGranted(granted);
        }
    }

    private List<Claim> serve() {
        List<Claim> granted = new ArrayList<>();
        accounts.values().forEach(account -> serve(account.waiting, granted));
        for (BackendAccount account : accounts.values()) {
            if (account.waiting.isEmpty() && !readersWaitForMemory()) {
                serve(account.waitingPrefetches, granted);
            }
        }
        return granted;
    }

    /** Returns whether a reader waits for memory that others use, not for that of its own backend. */
    private boolean readersWaitForMemory() {
        for (BackendAccount account : accounts.values()) {
            Claim first = account.waiting.peek();
            if (first != null && isWithinShare(first)) {
                return true;
            }
        }
        return false;
    }

    private void serveAgain() {
        List<Claim> granted;
        synchronized (this) {
            serveScheduled = false;
            granted = serve();
        }
        runGranted(granted);
    }

    private void serve(TurnQueue<Claim> queue, List<Claim> granted) {
        for (Claim next = queue.peek(); next != null && fits(next); next = queue.peek()) {
            @Nullable Claim unused = queue.poll();
            take(next);
            granted.add(next);
        }
    }

    private void take(Claim claim) {
        claim.held = true;
        used += claim.bytes;
        claim.account.used += claim.bytes;
        if (claim.prefetch) {
            usedByPrefetch += claim.bytes;
            pausesUntil = nanoTime.getAsLong() + pauseNanos;
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
        boolean mayPrefetch = !claim.prefetch || usedByPrefetch == 0 || usedByPrefetch + claim.bytes <= maxForPrefetch;
        return mayPrefetch
                && isWithinShare(claim)
                && (used == 0 || used + claim.bytes <= size)
                && (!claim.prefetch || isTime());
    }

    private boolean isWithinShare(Claim claim) {
        long ofBackend = claim.account.used;
        return ofBackend == 0 || ofBackend + claim.bytes <= SHARE * (size - used);
    }

    /** Returns whether the pause between prefetches is over; otherwise schedules the next attempt at its end. */
    private boolean isTime() {
        long left = pausesUntil - nanoTime.getAsLong();
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
