package io.millrace.cache.disk.io;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verdict on one disk. Good until a read takes longer than {@link #READ_DEADLINE}, or {@link #MOST_ERRORS} fail within
 * {@link #ERROR_SPAN}; then it is bypassed, until nothing hangs any more and a probe of it passes. A disk that fails again soon
 * after that waits twice as long each time. It is lost when its folder is no longer its own, or when probes have failed for
 * {@link #MOST_FAILING}; that has no end but an operator's word. Safe for use by any number of threads.
 */
public final class DiskHealth {
    /** A read that takes longer is given up, and the disk bypassed. */
    static final long READ_DEADLINE = TimeUnit.SECONDS.toNanos(1);

    /** The same for one that waits for a thread of a disk that does read, but not as much as is wanted of it. */
    static final long QUEUE_DEADLINE = TimeUnit.SECONDS.toNanos(5);

    /** The same for a piece of work that reads much. */
    static final long WORK_DEADLINE = TimeUnit.SECONDS.toNanos(10);

    /** A write that takes longer: nothing more is handed to the disk until it is done. */
    static final long WRITE_DEADLINE = TimeUnit.SECONDS.toNanos(1);

    static final int MOST_ERRORS = 3;
    static final long ERROR_SPAN = TimeUnit.SECONDS.toNanos(10);
    static final long MOST_FAILING = TimeUnit.SECONDS.toNanos(60);

    private static final Logger log = LoggerFactory.getLogger(DiskHealth.class);
    private static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(5);

    /** Behind so long a time without a failure a disk has its first pause again. */
    private static final long FORGIVEN = TimeUnit.MINUTES.toNanos(1);

    private final Path folder;
    private final LongSupplier nanoTime;
    private volatile Verdict verdict = Verdict.GOOD;
    private volatile String why = "";
    private int errors;
    private long firstError;
    private long failingSince;
    private long goodSince;
    private long pause = FIRST_PAUSE;
    private boolean probesFail;

    /** What a disk is good for. */
    public enum Verdict {
        GOOD,
        /** Neither read nor written; it may come back. */
        FAILING,
        /** It has no part in the cache any more. */
        LOST
    }

    public DiskHealth(Path folder) {
        this(folder, System::nanoTime);
    }

    /** @param nanoTime as {@link System#nanoTime} */
    DiskHealth(Path folder, LongSupplier nanoTime) {
        this.folder = folder;
        this.nanoTime = nanoTime;
        this.goodSince = nanoTime.getAsLong() - FORGIVEN;
    }

    public Verdict verdict() {
        return verdict;
    }

    /** Why it is not good; empty if it is. */
    public String why() {
        return why;
    }

    /**
     * A read failed.
     *
     * @return whether the disk is to be bypassed from now on
     */
    synchronized boolean readFailed(Throwable failure) {
        long now = nanoTime.getAsLong();
        if (errors == 0 || now - firstError > ERROR_SPAN) {
            errors = 0;
            firstError = now;
        }
        errors++;
        return errors >= MOST_ERRORS && fail("reads fail: " + failure, now);
    }

    /**
     * It stands still, or cannot be read.
     *
     * @return whether it did not before
     */
    synchronized boolean fails(String reason) {
        return fail(reason, nanoTime.getAsLong());
    }

    private boolean fail(String reason, long now) {
        if (verdict != Verdict.GOOD) {
            return false;
        }
        pause = now - goodSince < FORGIVEN ? Math.min(2 * pause, LONGEST_PAUSE) : FIRST_PAUSE;
        verdict = Verdict.FAILING;
        why = reason;
        failingSince = now;
        probesFail = false;
        log.warn(
                "The cache folder {} is bypassed, {}: its reads go to the backends. It is tried again in {} s",
                folder,
                reason,
                TimeUnit.NANOSECONDS.toSeconds(pause));
        return true;
    }

    /** Whether a probe is due. */
    public synchronized boolean wantsProbe() {
        return verdict == Verdict.FAILING && nanoTime.getAsLong() - failingSince >= pause;
    }

    /** A probe found nothing wrong. */
    public synchronized void probePassed() {
        if (verdict == Verdict.FAILING) {
            long now = nanoTime.getAsLong();
            log.info(
                    "The cache folder {} is used again, after {} s",
                    folder,
                    TimeUnit.NANOSECONDS.toSeconds(now - failingSince));
            verdict = Verdict.GOOD;
            why = "";
            errors = 0;
            goodSince = now;
        }
    }

    /**
     * A probe failed.
     *
     * @return whether that was one too many
     */
    public synchronized boolean probeFailed(String reason) {
        long now = nanoTime.getAsLong();
        if (verdict == Verdict.FAILING && !probesFail) {
            // Time that it hung does not count: what hangs may come back.
            probesFail = true;
            failingSince = now;
        }
        return verdict == Verdict.FAILING && now - failingSince >= MOST_FAILING && lost(reason);
    }

    /**
     * It has no part in the cache any more.
     *
     * @return whether it had until now
     */
    public synchronized boolean lost(String reason) {
        if (verdict == Verdict.LOST) {
            return false;
        }
        verdict = Verdict.LOST;
        why = reason;
        log.error(
                "The cache folder {} is lost, {}: what it held is fetched anew when it is wanted. When the disk is there again:"
                        + " millrace disks return {}, or a restart",
                folder,
                reason,
                folder);
        return true;
    }
}
