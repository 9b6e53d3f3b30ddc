package io.millrace.gateway.jobs.store;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Tracks the progress of a running job: ended objects and the transfers under way. What an earlier run left unfinished
 * counts until this run has come as far. Thread-safe; the lock is held for a sum over at most one transfer for each
 * worker.
 */
public final class RunProgress {
    private final LongAdder throughput = new LongAdder();
    private final Map<LowWatermark.Position, ObjectAttemptProgress> underWay = new HashMap<>();
    private final JobSpeedMeter speed = new JobSpeedMeter();
    private final long reachedBytes;
    private final double reachedObjects;
    private JobProgress ended;

    /** Creates the progress of a first run. */
    RunProgress(JobProgress ended) {
        this(ended, UnfinishedProgress.NONE);
    }

    /** @param before what the earlier run left, whose transferred bytes stay counted */
    public RunProgress(JobProgress ended, UnfinishedProgress before) {
        this.ended = ended.moved(before.moved());
        this.reachedBytes = ended.passedBytes() + before.bytes();
        this.reachedObjects = ended.ended() + before.shares();
    }

    /**
     * Starts an attempt at an object. Of an earlier attempt at it, only what need not be transferred again stays
     * counted.
     */
    public synchronized ObjectAttemptProgress attempt(LowWatermark.Position place, long size) {
        ObjectAttemptProgress begun = new ObjectAttemptProgress(size, throughput);
        ObjectAttemptProgress before = underWay.put(place, begun);
        if (before != null) {
            ended = ended.moved(before.kept().moved());
        }
        return begun;
    }

    /** Replaces the transfer of an object by its result. */
    public synchronized void end(LowWatermark.Position place, TaskResult how) {
        ObjectAttemptProgress transfer = underWay.remove(place);
        long counted = transfer == null ? 0 : transfer.moved();
        throughput.add(Math.max(0, how.moved() - counted));
        ended = ended.plus(how);
    }

    /** Returns what the next run need not repeat of the transfers under way. */
    public synchronized UnfinishedProgress unfinished() {
        long bytes = 0;
        long moved = 0;
        double shares = 0;
        for (ObjectAttemptProgress transfer : underWay.values()) {
            UnfinishedProgress kept = transfer.kept();
            bytes += kept.bytes();
            moved += kept.moved();
            shares += kept.shares();
        }
        return new UnfinishedProgress(reachedAtLeast(bytes), moved, reachedAtLeast(shares));
    }

    private long reachedAtLeast(long bytes) {
        return isComplete() ? bytes : Math.max(bytes, reachedBytes - ended.passedBytes());
    }

    private double reachedAtLeast(double shares) {
        return isComplete() ? shares : Math.max(shares, reachedObjects - ended.ended());
    }

    private boolean isComplete() {
        return ended.counted() && ended.ended() >= ended.found();
    }

    /** Returns the progress of ended objects, which is what checkpoints store. */
    public synchronized JobProgress ended() {
        return ended;
    }

    /** Replaces the progress after a change of the counts. */
    public synchronized void counted(JobProgress changed) {
        ended = changed;
    }

    /** Returns the progress including transfers under way. */
    synchronized JobProgress now() {
        long bytes = 0;
        long moved = 0;
        for (ObjectAttemptProgress transfer : underWay.values()) {
            bytes += transfer.bytes();
            moved += transfer.moved();
        }
        return ended.with(reachedAtLeast(bytes), moved);
    }

    public synchronized ProgressReport report() {
        JobProgress now = now();
        double shares = underWay.values().stream()
                .mapToDouble(ObjectAttemptProgress::share)
                .sum();
        return new ProgressReport(now, now.percent(reachedAtLeast(shares)), speed.speed(now));
    }

    /** Takes a sample of the speed. */
    public synchronized void sample(long nanos) {
        speed.sample(nanos, now(), throughput.sum());
    }
}
