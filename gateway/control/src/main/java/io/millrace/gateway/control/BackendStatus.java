package io.millrace.gateway.control;

import io.millrace.gateway.objects.monitor.BackendCallStatistics;
import io.millrace.gateway.objects.monitor.BackendFailure;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The health and load of one backend, as the API reports it.
 *
 * @param name its name in the settings
 * @param type {@code s3} or {@code file}
 * @param state {@code answers}; {@code refuses} if it answers but denies access; {@code rejects} if it does not accept
 *     the gateway's credentials; {@code fails}
 * @param since when it was first seen in this state
 * @param message what is wrong, and what to do; empty if nothing is wrong
 * @param checked time of the health check
 * @param lastMinute calls of the last minute
 * @param errorsSince since when each look at it saw errors of the last minute; empty if there are none
 * @param lastFailure the last failure since the start that concerns the whole backend; empty if there was none
 * @param buckets the buckets of this backend that the settings name or clients have used, one for each name
 */
public record BackendStatus(
        String name,
        String type,
        String state,
        Instant since,
        String message,
        Instant checked,
        BackendCallStatistics lastMinute,
        Optional<Instant> errorsSince,
        Optional<BackendFailure> lastFailure,
        List<BucketHealth> buckets) {
    public BackendStatus {
        buckets = List.copyOf(buckets);
    }
}
