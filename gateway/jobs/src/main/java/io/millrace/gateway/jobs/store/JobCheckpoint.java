package io.millrace.gateway.jobs.store;

import io.millrace.gateway.jobs.plan.DeletionBudget;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of {@code checkpoint.json}: the progress of a job and the position in its plan.
 *
 * @param journal number of the journal that continues from here
 * @param position at which the plan continues; null at its beginning
 * @param beyond ended objects above that position
 * @param progress of all ended objects
 * @param unfinished work on others that need not be repeated; an earlier version did not write it
 * @param deletions the budget of a copy that deletes extra objects, once it has begun; an earlier version did not write
 *     it
 */
public record JobCheckpoint(
        int journal,
        @Nullable String position,
        List<String> beyond,
        JobProgress progress,
        @Nullable UnfinishedProgress unfinished,
        @Nullable DeletionBudget deletions) {
    static final JobCheckpoint NONE =
            new JobCheckpoint(0, null, List.of(), JobProgress.NONE, UnfinishedProgress.NONE, null);

    public JobCheckpoint {
        beyond = List.copyOf(beyond);
    }

    /** Returns the work on objects that have not ended. */
    public UnfinishedProgress left() {
        return unfinished == null ? UnfinishedProgress.NONE : unfinished;
    }
}
