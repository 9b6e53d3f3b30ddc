package io.millrace.gateway.jobs.progress;

import java.util.Optional;

/**
 * How far a job is, and how fast it goes on.
 *
 * @param percent of it that is done, rounded down to a tenth and 100 at its end only; empty while nobody knows how much there is
 * @param speed empty if it does not work, or has only begun
 */
public record ProgressReport(JobProgress progress, Optional<Double> percent, Optional<JobSpeed> speed) {
    /** That of a job that does not work. */
    public static ProgressReport atRest(JobProgress progress) {
        return new ProgressReport(progress, progress.percent(0), Optional.empty());
    }
}
