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
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Response;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Serves an operation only if the bucket has the owner in {@code x-amz-expected-bucket-owner}. It first sends a
 * HeadBucket to the backend, because only the backend knows the owner and the format of its name.
 */
public final class ExpectedOwnerCheck implements S3Handler {
    private static final String FIELD = "x-amz-expected-bucket-owner";

    private final S3Handler inner;
    private final BucketRegistry buckets;

    private ExpectedOwnerCheck(S3Handler inner, BucketRegistry buckets) {
        this.inner = inner;
        this.buckets = buckets;
    }

    /** Wraps handlers in this check. */
    public static List<S3Handler> before(BucketRegistry buckets, S3Handler... handlers) {
        return List.of(handlers).stream()
                .<S3Handler>map(handler -> new ExpectedOwnerCheck(handler, buckets))
                .toList();
    }

    @Override
    public S3Operation operation() {
        return inner.operation();
    }

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
