package io.millrace.gateway.control;

import io.millrace.gateway.jobs.JobStatus;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobEvent;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobSpeed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The representation of a job in the API.
 *
 * @param kind {@code prefetch}, {@code copy}, {@code pack}, {@code download}, {@code evict} or {@code verify}
 * @param owner the identity that submitted the job and with whose rights it runs
 * @param state {@code submitted}, {@code planning}, {@code running}, {@code pausing}, {@code paused}, {@code done},
 *     {@code done-with-failures}, {@code failed}, {@code cancelling} or {@code cancelled}
 * @param message why it failed, the failure after which it tries again, or what else its owner should know; empty
 *     otherwise
 * @param request the request as submitted; briefly only its first ten keys or URLs
 * @param percent how much is done; empty while the total is unknown
 * @param objectsPerSecond over the last seconds; empty unless the job is working
 * @param bytesPerSecond transferred over the last seconds; empty unless the job is working
 * @param secondsLeft estimate at the current speed; empty while there is none
 * @param started when it first began to work
 * @param ended when it ended; empty while it is paused
 * @param activeMillis how long it has worked, without pauses
 * @param events what happened to it in between, the oldest first, at most 64; empty in lists
 */
record JobView(
        String id,
        String kind,
        String owner,
        String state,
        String message,
        RawJobRequest request,
        JobProgress progress,
        Optional<Double> percent,
        Optional<Double> objectsPerSecond,
        Optional<Double> bytesPerSecond,
        Optional<Long> secondsLeft,
        Instant submitted,
        Optional<Instant> started,
        Optional<Instant> ended,
        long activeMillis,
        List<JobEvent> events) {
    private static final int KEYS = 10;

    static JobView of(JobStatus job) {
        return of(job, job.request(), job.events());
    }

    /** Returns a job for who polls it, with no more than ten of its keys or URLs. */
    static JobView brief(JobStatus job) {
        return of(job, job.request().brief(KEYS), job.events());
    }

    /** Returns a job for a list, as briefly and without its events. */
    static JobView listed(JobStatus job) {
        return of(job, job.request().brief(KEYS), List.of());
    }

    private static JobView of(JobStatus job, RawJobRequest request, List<JobEvent> events) {
        Optional<JobSpeed> speed = job.report().speed();
        return new JobView(
                job.id(),
                String.valueOf(job.request().kind()).toLowerCase(Locale.ROOT),
                job.owner(),
                job.state().text(),
                job.message(),
                request,
                job.progress(),
                job.report().percent(),
                speed.map(JobSpeed::objectsPerSecond).map(JobView::rounded),
                speed.map(JobSpeed::bytesPerSecond).map(JobView::rounded),
                speed.flatMap(JobSpeed::left).map(Duration::toSeconds),
                job.submitted(),
                job.begun(),
                job.ended(),
                job.activeMillis(),
                events);
    }

    /** Rounds to hundredths. */
    private static double rounded(double number) {
        return Math.round(number * 100) / 100.0;
    }
}
