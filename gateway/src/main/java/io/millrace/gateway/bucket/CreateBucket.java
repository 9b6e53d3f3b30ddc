package io.millrace.gateway.bucket;

import io.millrace.backend.spi.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.XmlParser;
import reactor.core.publisher.Mono;

/**
 * Makes a bucket, on the backend of the entry that its name fits. The region a request asks for is not looked at: any is ours.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html">CreateBucket</a>
 */
public final class CreateBucket implements S3Handler {
    private static final int MAX_DOCUMENT = 64 << 10;

    private final Buckets buckets;

    public CreateBucket(Buckets buckets) {
        this.buckets = buckets;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.CREATE_BUCKET;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        BucketView bucket = buckets.place(admission.bucket());
        if (!bucket.prefix().isEmpty()) {
            throw new S3Exception(S3ErrorCode.BUCKET_ALREADY_OWNED_BY_YOU)
                    .with("BucketName", bucket.name().value());
        }
        HeaderList fields = BackendFields.amzOfDocument(admission, bucket);
        return admission
                .document(MAX_DOCUMENT)
                .doOnNext(CreateBucket::check)
                .then(bucket.backend().createBucket(bucket.real(), fields))
                .thenReturn(S3Answer.empty(
                        200,
                        HeaderList.EMPTY.with("location", "/" + bucket.name().value())));
    }

    private static void check(byte[] document) {
        if (document.length > 0) {
            XmlParser.parse(document, "CreateBucketConfiguration");
        }
    }
}
