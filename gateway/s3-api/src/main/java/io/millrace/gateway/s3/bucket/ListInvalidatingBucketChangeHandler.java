package io.millrace.gateway.s3.bucket;

import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/**
 * Wraps the handler of CreateBucket or DeleteBucket, and invalidates cached listings of the bucket afterwards.
 *
 * @param change the wrapped handler
 */
record ListInvalidatingBucketChangeHandler(BucketRegistry buckets, FencedWrites writes, S3Handler change)
        implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        // Refused here, it has changed nothing at the backend.
        Mono<S3Response> sent = change.handle(authorized);
        return buckets.findAny(authorized.bucket())
                .map(bucket -> writes.bucketChange(bucket, sent))
                .orElse(sent);
    }
}
