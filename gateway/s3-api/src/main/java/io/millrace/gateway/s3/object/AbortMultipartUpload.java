package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/**
 * Aborts a multipart upload and deletes its parts.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html">AbortMultipartUpload</a>
 */
record AbortMultipartUpload(BucketRegistry buckets) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        UploadReference target = UploadReference.of(authorized, buckets);
        return target.bucket()
                .backend()
                .abortUpload(target.upload(), ForwardedHeaders.amzOfDocument(authorized, target.bucket()))
                .thenReturn(S3Response.empty(204, HeaderList.EMPTY));
    }
}
