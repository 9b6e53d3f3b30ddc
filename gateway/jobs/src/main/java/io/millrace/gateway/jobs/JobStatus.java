package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.progress.JobProgress;
import io.millrace.gateway.jobs.progress.ProgressReport;
import io.millrace.gateway.jobs.request.JobRequest;
import io.millrace.gateway.jobs.store.JobState;
import java.time.Instant;
import java.util.Optional;

/**
 * A job as its owner sees it; a snapshot.
 *
 * @param id in the order of submission
 * @param owner name of the identity that submitted it
 * @param message why it failed; empty otherwise
 * @param report how far it is, and how fast it goes on
 * @param begun when it began to work for the first time
 * @param ended when it came to its end; none while it is paused
 * @param activeMillis how long it has worked, pauses left out
 */
public record JobStatus(
        String id,
        String owner,
        JobRequest request,
        JobState state,
        String message,
        ProgressReport report,
        Instant submitted,
        Optional<Instant> begun,
        Optional<Instant> ended,
        long activeMillis) {
    /** How far it is. */
    public JobProgress progress() {
        return report.progress();
    }
}
