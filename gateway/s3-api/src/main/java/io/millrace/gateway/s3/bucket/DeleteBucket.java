package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/**
 * Deletes an empty bucket, under the rules of its backend.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html">DeleteBucket</a>
 */
record DeleteBucket(BucketRegistry buckets) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        BucketView bucket = buckets.find(authorized.bucket());
        if (!bucket.prefix().isEmpty()) {
            throw new S3Exception(
                    S3ErrorCode.ACCESS_DENIED,
                    "This bucket is a part of another, and is there as long as the gateway's file says so.");
        }
        return bucket.backend()
                .deleteBucket(bucket.backendBucket())
                .thenReturn(S3Response.empty(204, HeaderList.EMPTY));
    }
}
