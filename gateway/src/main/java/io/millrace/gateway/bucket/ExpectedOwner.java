package io.millrace.gateway.bucket;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.Forwarder.ForwardAnswer;
import io.millrace.backend.spi.Forwarder.Forwarded;
import io.millrace.backend.spi.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * An operation on a bucket or its lists, served only if the bucket's owner is who the caller says. The backend is asked first, by
 * HeadBucket: it alone knows the owner, and says what an owner's name looks like.
 */
public final class ExpectedOwner implements S3Handler {
    private static final String FIELD = "x-amz-expected-bucket-owner";

    private final S3Handler inner;
    private final Buckets buckets;

    private ExpectedOwner(S3Handler inner, Buckets buckets) {
        this.inner = inner;
        this.buckets = buckets;
    }

    /** The same handlers under that condition. */
    public static List<S3Handler> before(Buckets buckets, S3Handler... handlers) {
        return List.of(handlers).stream()
                .<S3Handler>map(handler -> new ExpectedOwner(handler, buckets))
                .toList();
    }

    @Override
    public S3Operation operation() {
        return inner.operation();
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        return admission.request().amzField(FIELD).isEmpty()
                ? inner.handle(admission)
                : ask(admission).then(Mono.defer(() -> inner.handle(admission)));
    }

    private Mono<ForwardAnswer> ask(Admission admission) {
        BucketView bucket = buckets.find(admission.bucket());
        if (!bucket.backend().capabilities().contains(Capability.FORWARD)) {
            throw new S3Exception(
                            S3ErrorCode.NOT_IMPLEMENTED,
                            "A header you provided implies functionality that is not implemented")
                    .with("Header", FIELD);
        }
        HeaderList owner = new HeaderList(BackendFields.of(admission, bucket).fields().stream()
                .filter(field -> field.name().equals(FIELD))
                .toList());
        return bucket.backend()
                .forward(new Forwarded(
                        "HEAD", bucket.real(), Optional.empty(), List.of(), owner, ByteBuffer.allocate(0)));
    }
}
