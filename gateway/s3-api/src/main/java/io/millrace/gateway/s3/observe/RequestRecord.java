package io.millrace.gateway.s3.observe;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.gate.BatchTally;
import io.millrace.gateway.s3.gate.ObjectDecision;
import io.millrace.gateway.s3.protocol.RequestOperation;
import io.millrace.gateway.s3.protocol.S3Request;
import java.util.List;
import java.util.Optional;

/**
 * The facts about a completed request, for meters and logs.
 *
 * @param request as it was received; empty if it could not be decoded
 * @param gated whether the gate decides on requests like this; of others, who responds writes what belongs into the
 *     audit log
 * @param admitted whether it passed authentication and policy
 * @param operation empty if the request was rejected before routing
 * @param principal the name of the principal; empty if the request was rejected before authentication
 * @param accountable who is counted for the request, by {@link io.millrace.auth.policy.Principal#accountableName};
 *     empty as the name is
 * @param target the path as it was signed, without the query, which may hold a signature
 * @param status 0 if no response was sent
 * @param firstByteNanos the time from the request's headers to the first byte of the response body; -1 if there was
 *     none
 * @param bytesIn the length of the body that the client announced
 * @param cache the result of the cache; empty if the response was made before a cache or backend was involved
 * @param fastPath whether the response was in memory and was sent at once
 * @param bucket the bucket of an authorized request, if it names one
 * @param decisions about further objects of an authorized request
 * @param batch the count of the items of a batch; empty for another request
 * @param error the error response, or why a batch broke off; empty if there was none
 */
public record RequestRecord(
        String requestId,
        Optional<S3Request> request,
        boolean gated,
        boolean admitted,
        Optional<RequestOperation> operation,
        String principal,
        String accountable,
        String peer,
        String method,
        String target,
        int status,
        OutcomeCategory outcome,
        long firstByteNanos,
        long totalNanos,
        long bytesIn,
        long bytesOut,
        Optional<CacheResult> cache,
        boolean fastPath,
        Optional<BucketName> bucket,
        List<ObjectDecision> decisions,
        Optional<BatchTally> batch,
        Optional<S3Exception> error) {}
