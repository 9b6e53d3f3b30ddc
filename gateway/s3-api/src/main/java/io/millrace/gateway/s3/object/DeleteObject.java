package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Deletes an object or one of its versions.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html">DeleteObject</a>
 */
record DeleteObject(BucketRegistry buckets, FencedWrites writes) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        Optional<String> versionId = authorized.request().target().parameter("versionId");
        if (!authorized.canDelete(authorized.key(), versionId)) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        BucketView bucket = buckets.find(authorized.bucket());
        ObjectRef object = bucket.at(authorized.key());
        Optional<String> version = bucket.versionId(versionId);
        Deletion deletion = new Deletion(
                object, version, WriteConditionParser.of(authorized.request().headers()));
        return writes.fenced(
                        bucket,
                        object,
                        version,
                        bucket.backend().delete(deletion, ForwardedHeaders.amz(authorized, bucket, false)))
                .map(deleted -> S3Response.empty(204, deleted.headers()));
    }
}
