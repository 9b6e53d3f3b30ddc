package io.millrace.gateway.jobs.store;

import io.millrace.gateway.jobs.progress.JobProgress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code checkpoint.json} holds: how far a job is.
 *
 * @param journal number of the journal that goes on from here
 * @param position where the plan goes on; null at its beginning
 * @param beyond objects that have ended though others before them have not
 * @param progress with all that has ended so far
 */
public record JobCheckpoint(int journal, @Nullable String position, List<String> beyond, JobProgress progress) {
    static final JobCheckpoint NONE = new JobCheckpoint(0, null, List.of(), JobProgress.NONE);

    public JobCheckpoint {
        beyond = List.copyOf(beyond);
    }
}
