package io.millrace.gateway.objects.monitor;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.List;
import java.util.Optional;

/** Finds recent requests that did not come from the cache alone, or that failed. */
public interface RecentRequestSource {
    /**
     * A recent request that failed.
     *
     * @param identity who sent it; empty if that was not known when it failed
     * @param peer the client's address
     * @param bucket as the client named it
     * @param key as the client named it
     * @param code the error code that the client got; empty if the response broke off
     * @param message the message that the client got
     * @param reason what operators alone are told of the cause; may be empty
     */
    record FailedRequest(
            RecentRequest request,
            String identity,
            String peer,
            Optional<String> bucket,
            Optional<String> key,
            String code,
            String message,
            String reason) {}

    /** Returns the last requests for an object, the newest first. Both names are those that clients use. */
    List<RecentRequest> last(BucketName bucket, ObjectKey key);

    /** Returns the last requests that failed, the newest first. */
    List<FailedRequest> lastFailed();
}
