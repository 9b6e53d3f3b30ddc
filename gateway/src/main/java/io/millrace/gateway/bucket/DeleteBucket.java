package io.millrace.gateway.bucket;

import io.millrace.backend.spi.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import reactor.core.publisher.Mono;

/**
 * Deletes an empty bucket, under its backend's rules.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html">DeleteBucket</a>
 */
public final class DeleteBucket implements S3Handler {
    private final Buckets buckets;

    public DeleteBucket(Buckets buckets) {
        this.buckets = buckets;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.DELETE_BUCKET;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        BucketView bucket = buckets.find(admission.bucket());
        if (!bucket.prefix().isEmpty()) {
            throw new S3Exception(
                    S3ErrorCode.ACCESS_DENIED,
                    "This bucket is a part of another, and is there as long as the gateway's file says so.");
        }
        return bucket.backend().deleteBucket(bucket.real()).thenReturn(S3Answer.empty(204, HeaderList.EMPTY));
    }
}
