package io.millrace.gateway.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** How fast a job goes on, over the last seconds: what a restart or a pause was minutes ago says nothing of now. */
final class Rates {
    /** Long enough that one large object does not make it jump. */
    private static final Duration WINDOW = Duration.ofSeconds(15);

    private final Deque<Sample> samples = new ArrayDeque<>();

    private record Sample(Instant at, long ended, long endedBytes, long movedBytes) {}

    /**
     * A rate.
     *
     * @param objects of a second
     * @param bytes of a second, moved
     * @param left until the end; empty if nobody can tell
     */
    record Rate(double objects, double bytes, Optional<Duration> left) {
        static final Rate UNKNOWN = new Rate(0, 0, Optional.empty());
    }

    /** The rate with one more look at the job. */
    Rate with(JobSnapshot job, Instant now) {
        Sample last = new Sample(now, job.ended(), job.endedBytes(), job.movedBytes());
        samples.addLast(last);
        while (samples.size() > 2
                && Duration.between(samples.getFirst().at, now).compareTo(WINDOW) > 0) {
            samples.removeFirst();
        }
        Sample first = samples.getFirst();
        double seconds = Duration.between(first.at, now).toMillis() / 1000.0;
        if (seconds <= 0) {
            return Rate.UNKNOWN;
        }
        double objects = (last.ended - first.ended) / seconds;
        double ended = (last.endedBytes - first.endedBytes) / seconds;
        return new Rate(objects, (last.movedBytes - first.movedBytes) / seconds, left(job, objects, ended));
    }

    private static Optional<Duration> left(JobSnapshot job, double objects, double bytes) {
        if (!job.isCounted() || !job.isActive()) {
            return Optional.empty();
        }
        double seconds = job.foundBytes() > 0
                ? (job.foundBytes() - job.endedBytes()) / bytes
                : (job.found() - job.ended()) / objects;
        return Double.isFinite(seconds) && seconds >= 0
                ? Optional.of(Duration.ofSeconds(Math.round(seconds)))
                : Optional.empty();
    }
}
