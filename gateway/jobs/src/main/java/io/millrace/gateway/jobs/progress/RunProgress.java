package io.millrace.gateway.jobs.progress;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The progress of a job at work: what has ended, and the transfers under way. Safe for use by any number of threads; the lock is held
 * while as many transfers as a job has workers are summed up.
 */
public final class RunProgress {
    private final LongAdder throughput = new LongAdder();
    private final Map<LowWatermark.Position, TransferProgress> underWay = new HashMap<>();
    private final JobSpeedMeter speed = new JobSpeedMeter();
    private JobProgress ended;

    public RunProgress(JobProgress ended) {
        this.ended = ended;
    }

    /** Begins an attempt at an object. What an earlier attempt at it has counted does not count any more. */
    public synchronized TransferProgress attempt(LowWatermark.Position place, long size) {
        TransferProgress begun = new TransferProgress(size, throughput);
        underWay.put(place, begun);
        return begun;
    }

    /** Counts an object that has ended in place of its transfer. */
    public synchronized void end(LowWatermark.Position place, TaskResult how) {
        TransferProgress transfer = underWay.remove(place);
        long counted = transfer == null ? 0 : transfer.moved();
        throughput.add(Math.max(0, how.moved() - counted));
        ended = ended.plus(how);
    }

    /** Forgets all transfers: they are given up. */
    public synchronized void giveUp() {
        underWay.clear();
    }

    /** What has ended, which is what is written down. */
    public synchronized JobProgress ended() {
        return ended;
    }

    /** Changes what has been counted. */
    public synchronized void counted(JobProgress changed) {
        ended = changed;
    }

    /** With the bytes under way. */
    synchronized JobProgress now() {
        long bytes = 0;
        long moved = 0;
        for (TransferProgress transfer : underWay.values()) {
            bytes += transfer.bytes();
            moved += transfer.moved();
        }
        return ended.with(bytes, moved);
    }

    public synchronized ProgressReport report() {
        JobProgress now = now();
        double shares =
                underWay.values().stream().mapToDouble(TransferProgress::share).sum();
        return new ProgressReport(now, now.percent(shares), speed.speed(now));
    }

    /** Takes a sample of the speed. */
    public synchronized void sample(long nanos) {
        speed.sample(nanos, now(), throughput.sum());
    }
}
