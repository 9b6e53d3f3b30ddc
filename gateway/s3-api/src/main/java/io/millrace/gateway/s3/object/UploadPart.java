package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/**
 * Handles UploadPart requests: streams the bytes of a part to the backend.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html">UploadPart</a>
 */
record UploadPart(BucketRegistry buckets) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        UploadReference target = UploadReference.of(authorized, buckets);
        int number = UploadReference.partNumber(authorized);
        HeaderList fields = ForwardedHeaders.amz(authorized, target.bucket(), true);
        return authorized
                .body()
                .flatMap(body -> target.bucket().backend().putPart(target.upload(), number, fields, body))
                .map(part -> S3Response.empty(
                        200, part.headers().with("etag", part.eTag().toString())));
    }
}
