package io.millrace.cache.disk;

import io.millrace.kit.file.FileFailureText;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether one disk is good, failing or lost. A disk fails when a read takes longer than {@link #READ_DEADLINE},
 * or when {@link #MOST_ERRORS} reads fail within {@link #ERROR_SPAN}. It is then bypassed until nothing hangs any more
 * and a probe passes; the pause before the probe doubles each time the disk fails again soon. A disk is lost when its
 * folder is no longer its own, or when probes have failed for {@link #MOST_FAILING}. Only an operator or a restart
 * returns a lost disk. Safe for use by any number of threads.
 */
final class DiskHealth {
    /** A read that takes longer is given up, and the disk is bypassed. */
    static final long READ_DEADLINE = TimeUnit.SECONDS.toNanos(1);

    /** Deadline of a read that waits for a thread, on a disk that works but is overloaded. */
    static final long QUEUE_DEADLINE = TimeUnit.SECONDS.toNanos(5);

    /** Deadline of a work task, which reads much. */
    static final long WORK_DEADLINE = TimeUnit.SECONDS.toNanos(10);

    /** While a write takes longer, nothing more is written to the disk. */
    static final long WRITE_DEADLINE = TimeUnit.SECONDS.toNanos(1);

    static final int MOST_ERRORS = 3;
    static final long ERROR_SPAN = TimeUnit.SECONDS.toNanos(10);
    static final long MOST_FAILING = TimeUnit.SECONDS.toNanos(60);

    private static final Logger log = LoggerFactory.getLogger(DiskHealth.class);
    private static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(5);

    /** After so long without a failure, the pause begins at {@link #FIRST_PAUSE} again. */
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

    /** The state of a disk. */
    enum Verdict {
        GOOD,
        /** Neither read nor written; it may recover. */
        FAILING,
        /** Out of service until an operator returns it. */
        LOST
    }

    DiskHealth(Path folder) {
        this(folder, System::nanoTime);
    }

    /** @param nanoTime as {@link System#nanoTime} */
    DiskHealth(Path folder, LongSupplier nanoTime) {
        this.folder = folder;
        this.nanoTime = nanoTime;
        this.goodSince = nanoTime.getAsLong() - FORGIVEN;
    }

    Verdict verdict() {
        return verdict;
    }

    /** Returns whether it is out of service until an operator returns it. */
    boolean isLost() {
        return verdict == Verdict.LOST;
    }

    /** Returns why it is not good; empty if it is. */
    String why() {
        return why;
    }

    /**
     * Counts a failed read.
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
        return errors >= MOST_ERRORS && fail("reads fail: " + FileFailureText.of(failure), now);
    }

    /**
     * Marks the disk as failing.
     *
     * @return false if it was failing or lost before
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
                "The cache folder {} is bypassed, {}: its reads go to the backends. It is probed again in {} s",
                folder,
                reason,
                TimeUnit.NANOSECONDS.toSeconds(pause));
        return true;
    }

    /** Returns whether a probe is due. */
    synchronized boolean wantsProbe() {
        return verdict == Verdict.FAILING && nanoTime.getAsLong() - failingSince >= pause;
    }

    /** Marks a failing disk as good. */
    synchronized void probePassed() {
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
     * Records a failed probe.
     *
     * @return whether the disk is lost by that
     */
    synchronized boolean probeFailed(String reason) {
        long now = nanoTime.getAsLong();
        if (verdict == Verdict.FAILING && !probesFail) {
            // Time during which it hung does not count: a disk that hangs may come back.
            probesFail = true;
            failingSince = now;
        }
        return verdict == Verdict.FAILING && now - failingSince >= MOST_FAILING && lost(reason);
    }

    /**
     * Marks the disk as lost.
     *
     * @return false if it was lost before
     */
    synchronized boolean lost(String reason) {
        if (verdict == Verdict.LOST) {
            return false;
        }
        verdict = Verdict.LOST;
        why = reason;
        log.error(
                "The cache folder {} is lost, {}: what it held is fetched again on demand. When the same disk is back:"
                        + " millrace disks reattach {}, or a restart",
                folder,
                reason,
                folder);
        return true;
    }
}
