package io.millrace.gateway.s3.multipart;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.routing.S3Operation;
import reactor.core.publisher.Mono;

/**
 * Stores one part, its bytes streamed to the backend as they come.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html">UploadPart</a>
 */
public final class UploadPart implements S3Handler {
    private final BucketRegistry buckets;

    public UploadPart(BucketRegistry buckets) {
        this.buckets = buckets;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.UPLOAD_PART;
    }

    @Override
    public Mono<S3Response> handle(AuthorizedRequest admission) {
        UploadReference target = UploadReference.of(admission, buckets);
        int number = UploadReference.partNumber(admission);
        HeaderList fields = ForwardedHeaders.amz(admission, target.bucket(), true);
        return admission
                .body()
                .flatMap(body -> target.bucket().backend().putPart(target.upload(), number, fields, body))
                .map(part -> S3Response.empty(
                        200, part.headers().with("etag", part.eTag().toString())));
    }
}
