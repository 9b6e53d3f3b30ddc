package io.millrace.gateway.jobs.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An object that a job could not process in any attempt, and the reason.
 *
 * @param since when it failed first; an earlier version did not write it
 */
public record ObjectFailure(
        String key, String reason, @Nullable Instant since) {
    /** Returns this failure, as old as an earlier one of the same object. */
    ObjectFailure after(ObjectFailure earlier) {
        return new ObjectFailure(key, reason, earlier.since);
    }
}
