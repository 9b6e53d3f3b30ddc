package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.MultipartUploads.CreatedUpload;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.XmlWriter;
import reactor.core.publisher.Mono;

/**
 * Starts a multipart upload.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html">
 *     CreateMultipartUpload</a>
 */
record CreateMultipartUpload(BucketRegistry buckets) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        BucketView bucket = buckets.find(authorized.bucket());
        NewObject object = new NewObject(
                bucket.at(authorized.key()), ForwardedHeaders.of(authorized, bucket), WriteCondition.ALWAYS);
        return bucket.backend().createUpload(object).map(begun -> response(authorized, begun));
    }

    private static S3Response response(AuthorizedRequest authorized, CreatedUpload begun) {
        XmlWriter xml = XmlWriter.of("InitiateMultipartUploadResult")
                .element("Bucket", authorized.bucket().value())
                .element("Key", authorized.key().value())
                .element("UploadId", begun.upload().uploadId());
        return S3Response.xml(200, begun.headers(), xml.bytes());
    }
}
