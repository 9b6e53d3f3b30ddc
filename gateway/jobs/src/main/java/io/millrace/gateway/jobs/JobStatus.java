package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobEvent;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ProgressReport;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot of a job for its owner.
 *
 * @param id sorts in the order of submission
 * @param owner name of the identity that submitted it
 * @param message the reason of a failure, or what else the owner should know; empty otherwise
 * @param report its progress and speed
 * @param begun when it ran for the first time
 * @param ended when it ended; empty while it is paused
 * @param activeMillis how long it has run, without pauses
 * @param events what happened to it in between, the oldest first
 */
public record JobStatus(
        String id,
        String owner,
        RawJobRequest request,
        JobState state,
        String message,
        ProgressReport report,
        Instant submitted,
        Optional<Instant> begun,
        Optional<Instant> ended,
        long activeMillis,
        List<JobEvent> events) {
    /** Returns the objects and bytes done so far. */
    public JobProgress progress() {
        return report.progress();
    }
}
