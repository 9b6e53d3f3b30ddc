package io.millrace.gateway.bucket;

import io.millrace.backend.spi.HeaderList;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.XmlDocument;
import reactor.core.publisher.Mono;

/**
 * The region of a bucket; an empty element stands for {@link Region#OURS}.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html">GetBucketLocation</a>
 */
public final class GetBucketLocation implements S3Handler {
    private final Buckets buckets;

    public GetBucketLocation(Buckets buckets) {
        this.buckets = buckets;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.GET_BUCKET_LOCATION;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        BucketView bucket = buckets.find(admission.bucket());
        return bucket.backend()
                .bucket(bucket.real())
                .map(info -> S3Answer.xml(
                        200,
                        HeaderList.EMPTY,
                        XmlDocument.of("LocationConstraint").bytes()));
    }
}
