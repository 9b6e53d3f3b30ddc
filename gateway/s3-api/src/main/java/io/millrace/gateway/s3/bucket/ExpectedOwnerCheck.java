package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardResponse;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Serves an operation only if the bucket has the owner in {@code x-amz-expected-bucket-owner}. It first sends a
 * HeadBucket to the backend, because only the backend knows the owner and the format of its name.
 *
 * @param inner the handler that serves it
 */
public record ExpectedOwnerCheck(BucketRegistry buckets, S3Handler inner) implements S3Handler {
    private static final String FIELD = "x-amz-expected-bucket-owner";

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        return authorized.request().amzField(FIELD).isEmpty()
                ? inner.handle(authorized)
                : headBucket(authorized).then(Mono.defer(() -> inner.handle(authorized)));
    }

    private Mono<ForwardResponse> headBucket(AuthorizedRequest authorized) {
        BucketView bucket = buckets.find(authorized.bucket());
        if (!bucket.backend().capabilities().contains(Capability.EXPECTED_OWNER)) {
            throw new S3Exception(
                            S3ErrorCode.NOT_IMPLEMENTED,
                            "A header you provided implies functionality that is not implemented")
                    .with("Header", FIELD);
        }
        HeaderList owner = ForwardedHeaders.of(authorized, bucket).where(FIELD::equals);
        return bucket.backend()
                .forward(new ForwardRequest(
                        "HEAD", bucket.backendBucket(), Optional.empty(), List.of(), owner, ByteBuffer.allocate(0)));
    }
}
