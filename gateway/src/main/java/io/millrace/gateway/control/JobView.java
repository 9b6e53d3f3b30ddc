package io.millrace.gateway.control;

import io.millrace.gateway.job.JobRequest;
import io.millrace.gateway.job.JobStatus;
import io.millrace.gateway.job.Progress;
import io.millrace.gateway.job.Speed;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A job as the API tells it.
 *
 * @param kind {@code prefetch}
 * @param owner name of the identity that submitted it, with whose rights it runs
 * @param state {@code submitted}, {@code planning}, {@code running}, {@code pausing}, {@code paused}, {@code done},
 *     {@code done-with-failures}, {@code failed}, {@code cancelling} or {@code cancelled}
 * @param message why it failed; empty otherwise
 * @param request what was asked for, word for word; where several jobs are told, or one again and again, no more than ten of its
 *     keys or URLs
 * @param percent of it that is done; absent while nobody knows how much there is
 * @param objectsPerSecond over the last seconds; absent unless it works
 * @param bytesPerSecond that moved over the last seconds; absent unless it works
 * @param secondsLeft at this speed; absent while that cannot be told
 * @param begun when it began to work for the first time
 * @param ended when it came to its end; absent while it is paused
 * @param activeMillis how long it has worked, pauses left out
 */
record JobView(
        String id,
        String kind,
        String owner,
        String state,
        String message,
        JobRequest request,
        Progress progress,
        Optional<Double> percent,
        Optional<Double> objectsPerSecond,
        Optional<Double> bytesPerSecond,
        Optional<Long> secondsLeft,
        Instant submitted,
        Optional<Instant> begun,
        Optional<Instant> ended,
        long activeMillis) {
    private static final int KEYS = 10;

    static JobView of(JobStatus job) {
        return of(job, job.request());
    }

    /** One among many: a hundred jobs of ten thousand keys are no answer for anybody. */
    static JobView brief(JobStatus job) {
        return of(job, job.request().brief(KEYS));
    }

    private static JobView of(JobStatus job, JobRequest request) {
        Optional<Speed> speed = job.report().speed();
        return new JobView(
                job.id(),
                String.valueOf(job.request().kind()).toLowerCase(Locale.ROOT),
                job.owner(),
                job.state().text(),
                job.message(),
                request,
                job.progress(),
                job.report().percent(),
                speed.map(Speed::objectsPerSecond).map(JobView::rounded),
                speed.map(Speed::bytesPerSecond).map(JobView::rounded),
                speed.flatMap(Speed::left).map(Duration::toSeconds),
                job.submitted(),
                job.begun(),
                job.ended(),
                job.activeMillis());
    }

    /** To hundredths, as much as anybody reads. */
    private static double rounded(double number) {
        return Math.round(number * 100) / 100.0;
    }
}
