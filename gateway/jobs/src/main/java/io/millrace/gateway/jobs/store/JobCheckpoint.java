package io.millrace.gateway.jobs.store;

import io.millrace.gateway.jobs.progress.JobProgress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of {@code checkpoint.json}: the progress of a job and the position in its plan.
 *
 * @param journal number of the journal that continues from here
 * @param position at which the plan continues; null at its beginning
 * @param beyond ended objects above that position
 * @param progress of all ended objects
 */
public record JobCheckpoint(int journal, @Nullable String position, List<String> beyond, JobProgress progress) {
    static final JobCheckpoint NONE = new JobCheckpoint(0, null, List.of(), JobProgress.NONE);

    public JobCheckpoint {
        beyond = List.copyOf(beyond);
    }
}
