package io.millrace.gateway.jobs.store;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Measures the speed of a job over a sliding window, because older speeds do not predict the rest. Used by one thread
 * at a time.
 */
final class JobSpeedMeter {
    /** The width of the window, in which one large object does not make the speed jump. */
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Deque<Sample> samples = new ArrayDeque<>();

    private record Sample(long nanos, long objects, long bytes, long throughput) {}

    /**
     * Adds a sample.
     *
     * @param nanos as {@link System#nanoTime}
     * @param throughput bytes transferred so far, including failed attempts
     */
    void sample(long nanos, JobProgress progress, long throughput) {
        samples.addLast(new Sample(nanos, progress.ended(), progress.passedBytes(), throughput));
        while (samples.size() > 2 && nanos - samples.getFirst().nanos > WINDOW_NANOS) {
            samples.removeFirst();
        }
    }

    /** Returns the speed between the first and the last sample; empty before there are two. */
    Optional<JobSpeed> speed(JobProgress progress) {
        if (samples.size() < 2) {
            return Optional.empty();
        }
        Sample first = samples.getFirst();
        Sample last = samples.getLast();
        double seconds = (last.nanos - first.nanos) / 1e9;
        double objects = (last.objects - first.objects) / seconds;
        double bytes = (last.bytes - first.bytes) / seconds;
        return Optional.of(
                new JobSpeed(objects, (last.throughput - first.throughput) / seconds, left(progress, objects, bytes)));
    }

    private static Optional<Duration> left(JobProgress progress, double objects, double bytes) {
        if (!progress.counted()) {
            return Optional.empty();
        }
        double seconds = progress.foundBytes() > 0
                ? (progress.foundBytes() - progress.passedBytes()) / bytes
                : (progress.found() - progress.ended()) / objects;
        return Double.isFinite(seconds) && seconds >= 0
                ? Optional.of(Duration.ofSeconds(Math.round(seconds)))
                : Optional.empty();
    }
}
