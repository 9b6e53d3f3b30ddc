package io.millrace.gateway.control;

import io.millrace.gateway.job.JobRequest;
import io.millrace.gateway.job.JobStatus;
import io.millrace.gateway.job.Progress;
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
 * @param begun when it began to work for the first time
 * @param ended when it came to its end, or was stopped
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
        return new JobView(
                job.id(),
                String.valueOf(job.request().kind()).toLowerCase(Locale.ROOT),
                job.owner(),
                job.state().text(),
                job.message(),
                request,
                job.progress(),
                job.submitted(),
                job.begun(),
                job.ended(),
                job.activeMillis());
    }
}
