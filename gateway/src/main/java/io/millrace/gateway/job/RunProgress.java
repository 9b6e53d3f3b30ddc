package io.millrace.gateway.job;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The progress of a job at work: what has ended, and the transfers under way. Safe for use by any number of threads; the lock is held
 * while as many transfers as a job has workers are summed up.
 */
final class RunProgress {
    private final LongAdder throughput = new LongAdder();
    private final Map<Mark.Place, Transfer> underWay = new HashMap<>();
    private final RecentSpeed speed = new RecentSpeed();
    private Progress ended;

    RunProgress(Progress ended) {
        this.ended = ended;
    }

    /** Begins an attempt at an object. What an earlier attempt at it has counted does not count any more. */
    synchronized Transfer attempt(Mark.Place place, long size) {
        Transfer begun = new Transfer(size, throughput);
        underWay.put(place, begun);
        return begun;
    }

    /** Counts an object that has ended in place of its transfer. */
    synchronized void end(Mark.Place place, Ended how) {
        Transfer transfer = underWay.remove(place);
        long counted = transfer == null ? 0 : transfer.moved();
        throughput.add(Math.max(0, how.moved() - counted));
        ended = ended.plus(how);
    }

    /** Forgets all transfers: they are given up. */
    synchronized void giveUp() {
        underWay.clear();
    }

    /** What has ended, which is what is written down. */
    synchronized Progress ended() {
        return ended;
    }

    /** Changes what has been counted. */
    synchronized void counted(Progress changed) {
        ended = changed;
    }

    /** With the bytes under way. */
    synchronized Progress now() {
        long bytes = 0;
        long moved = 0;
        for (Transfer transfer : underWay.values()) {
            bytes += transfer.bytes();
            moved += transfer.moved();
        }
        return ended.with(bytes, moved);
    }

    synchronized ProgressReport report() {
        Progress now = now();
        double shares = underWay.values().stream().mapToDouble(Transfer::share).sum();
        return new ProgressReport(now, now.percent(shares), speed.speed(now));
    }

    /** Takes a sample of the speed. */
    synchronized void sample(long nanos) {
        speed.sample(nanos, now(), throughput.sum());
    }
}
