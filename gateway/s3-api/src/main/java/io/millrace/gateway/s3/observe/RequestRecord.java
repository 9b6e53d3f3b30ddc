package io.millrace.gateway.s3.observe;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.s3.protocol.CacheResult;
import io.millrace.gateway.s3.routing.S3Operation;
import java.util.Optional;

/**
 * What there is to say of a request when it has ended.
 *
 * @param operation none if it was refused before that was known
 * @param who the principal's name; empty if it was refused before that was known
 * @param target the path as it was signed, without its query, which may hold a signature
 * @param status 0 if no head was sent
 * @param firstByteNanos from the request's head to the first byte of the body; -1 if there was none
 * @param bytesIn bytes of the body the client announced
 * @param cache what the cache was for the answer; none if there was none, or it was given before a cache came into play
 * @param bucket that it names, if it was admitted and names one
 */
public record RequestRecord(
        String requestId,
        Optional<S3Operation> operation,
        String who,
        String peer,
        String method,
        String target,
        int status,
        RequestOutcome outcome,
        long firstByteNanos,
        long totalNanos,
        long bytesIn,
        long bytesOut,
        Optional<CacheResult> cache,
        Optional<BucketName> bucket) {}
