package io.millrace.gateway.configuration;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Forwarder.ForwardAnswer;
import io.millrace.backend.spi.Forwarder.ForwardStream;
import io.millrace.backend.spi.Forwarder.Forwarded;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.UploadBody;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.netty.util.ReferenceCounted;
import java.nio.ByteBuffer;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Forwards requests with fields that nobody knows, so that a new field of S3 works before this gateway knows it. They go past the
 * cache: a read is neither stored nor shared, and a write may have changed whatever its method could, whether or not its answer comes.
 */
public final class UnknownRequests implements S3Handler {
    private final Buckets buckets;
    private final ObjectWrites writes;

    public UnknownRequests(Buckets buckets, ObjectWrites writes) {
        this.buckets = buckets;
        this.writes = writes;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.UNKNOWN;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        BucketView bucket = buckets.find(admission.bucket());
        UnknownFields.require(admission, bucket);
        Optional<ObjectRef> object = admission.request().target().key().map(bucket::at);
        Forwarded request = new Forwarded(
                admission.request().method(),
                bucket.real(),
                object.map(ObjectRef::key),
                UnknownFields.parameters(admission.request()),
                UnknownFields.headers(admission, bucket),
                ByteBuffer.allocate(0),
                false);
        return admission.request().isRead()
                ? read(admission, bucket, request)
                : body(admission).flatMap(body -> write(admission, bucket, object, request, body));
    }

    private static Mono<S3Answer> read(Admission admission, BucketView bucket, Forwarded request) {
        return admission.withDocument(
                0,
                none -> bucket.backend()
                        .forwardRead(request)
                        .onErrorMap(BackendException.class, failure -> seen(admission, failure))
                        .map(answer -> answer(request, answer)));
    }

    private static Throwable seen(Admission admission, BackendException failure) {
        return admission.request().target().key().isPresent() ? admission.withoutAbsence(failure) : failure;
    }

    /** Many requests that carry nothing do not say how long that is. */
    private static Mono<UploadBody> body(Admission admission) {
        return admission.request().body().announced() == 0
                ? admission.withDocument(0, none -> Mono.just(UploadBody.of(0, Flux.empty())))
                : admission.body();
    }

    private Mono<S3Answer> write(
            Admission admission, BucketView bucket, Optional<ObjectRef> object, Forwarded request, UploadBody body) {
        Mono<ForwardAnswer> sent = bucket.backend().forwardWrite(request, body);
        Optional<String> version = admission.request().target().parameter("versionId");
        Mono<ForwardAnswer> fenced = object.isPresent()
                ? writes.fenced(bucket, object.get(), version, sent)
                : writes.fencedBucket(bucket, sent);
        return fenced.map(answer -> new S3Answer(answer.status(), answer.headers(), new S3Answer.Bytes(answer.body())));
    }

    private static S3Answer answer(Forwarded request, ForwardStream answer) {
        S3Answer.Body body;
        if (request.method().equals("HEAD")) {
            body = new S3Answer.NoBody(answer.length().orElse(0));
        } else if (answer.length().isPresent()) {
            Flux<ReferenceCounted> pieces = answer.body().cast(ReferenceCounted.class);
            body = new S3Answer.Blocks(answer.length().getAsLong(), pieces, answer::discard);
        } else {
            body = new S3Answer.Unending(answer.body());
        }
        return new S3Answer(answer.status(), answer.headers(), body);
    }
}
