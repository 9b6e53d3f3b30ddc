package io.millrace.gateway.bucket;

import io.millrace.backend.spi.HeaderList;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import reactor.core.publisher.Mono;

/**
 * Whether a bucket exists.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html">HeadBucket</a>
 */
public final class HeadBucket implements S3Handler {
    private final Buckets buckets;

    public HeadBucket(Buckets buckets) {
        this.buckets = buckets;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.HEAD_BUCKET;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        BucketView bucket = buckets.find(admission.bucket());
        return bucket.backend()
                .bucket(bucket.real())
                .map(info -> S3Answer.empty(200, HeaderList.EMPTY.with("x-amz-bucket-region", Region.OURS)));
    }
}
