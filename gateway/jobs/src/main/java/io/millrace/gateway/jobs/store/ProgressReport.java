package io.millrace.gateway.jobs.store;

import java.util.Optional;

/**
 * The progress and the speed of a job.
 *
 * @param percent that is done, rounded down to a tenth, and 100 only at the end; empty while the count is incomplete
 * @param speed empty if the job does not run, or has just started
 */
public record ProgressReport(JobProgress progress, Optional<Double> percent, Optional<JobSpeed> speed) {
    /** Returns the report of a job that does not run, with what its last run left unfinished. */
    public static ProgressReport atRest(JobProgress ended, UnfinishedProgress unfinished) {
        JobProgress reached = ended.with(unfinished.bytes(), unfinished.moved());
        return new ProgressReport(reached, reached.percent(unfinished.shares()), Optional.empty());
    }
}
