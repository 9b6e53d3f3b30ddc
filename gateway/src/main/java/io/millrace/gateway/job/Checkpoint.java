package io.millrace.gateway.job;

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
record Checkpoint(int journal, @Nullable String position, List<String> beyond, Progress progress) {
    static final Checkpoint NONE = new Checkpoint(0, null, List.of(), Progress.NONE);

    Checkpoint {
        beyond = List.copyOf(beyond);
    }
}
