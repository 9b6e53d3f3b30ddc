package io.millrace.gateway.control;

import io.millrace.gateway.observe.BackendFailure;
import io.millrace.gateway.observe.BackendLoad;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How a backend is.
 *
 * @param name of the operator's file
 * @param type {@code s3} or {@code file}
 * @param state {@code answers}; {@code refuses} if it answers and denies what it was asked; {@code rejects} if it does not accept
 *     the gateway's credentials; {@code fails}
 * @param message what is wrong, and what to do; empty if nothing is
 * @param asked when it was asked
 * @param lastMinute what was asked of it meanwhile
 * @param lastFailure since the start that speaks against the backend as a whole; none if nothing failed
 * @param buckets those of it that the file names
 */
public record BackendView(
        String name,
        String type,
        String state,
        String message,
        Instant asked,
        BackendLoad lastMinute,
        Optional<BackendFailure> lastFailure,
        List<BucketHealth> buckets) {
    public BackendView {
        buckets = List.copyOf(buckets);
    }
}
