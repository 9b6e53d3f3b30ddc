package io.millrace.gateway.s3.configuration;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardResponse;
import io.millrace.backend.spi.RequestForwarder.StreamingForwardResponse;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.routing.S3Operation;
import io.netty.util.ReferenceCounted;
import java.nio.ByteBuffer;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Forwards requests with fields that nobody knows, so that a new field of S3 works before this gateway knows it. They go past the
 * cache: a read is neither stored nor shared, and a write may have changed whatever its method could, whether or not its answer comes.
 */
public final class UnknownRequestForwarder implements S3Handler {
    private final BucketRegistry buckets;
    private final FencedWrites writes;

    public UnknownRequestForwarder(BucketRegistry buckets, FencedWrites writes) {
        this.buckets = buckets;
        this.writes = writes;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.UNKNOWN;
    }

    @Override
    public Mono<S3Response> handle(AuthorizedRequest admission) {
        BucketView bucket = buckets.find(admission.bucket());
        UnknownFieldPolicy.require(admission, bucket);
        Optional<ObjectRef> object = admission.request().target().key().map(bucket::at);
        ForwardRequest request = new ForwardRequest(
                admission.request().method(),
                bucket.real(),
                object.map(ObjectRef::key),
                UnknownFieldPolicy.parameters(admission.request()),
                UnknownFieldPolicy.headers(admission, bucket),
                ByteBuffer.allocate(0),
                false);
        return admission.request().isRead()
                ? read(admission, bucket, request)
                : body(admission).flatMap(body -> write(admission, bucket, object, request, body));
    }

    private static Mono<S3Response> read(AuthorizedRequest admission, BucketView bucket, ForwardRequest request) {
        return admission.withDocument(
                0,
                none -> bucket.backend()
                        .forwardRead(request)
                        .onErrorMap(BackendException.class, failure -> seen(admission, failure))
                        .map(answer -> answer(request, answer)));
    }

    private static Throwable seen(AuthorizedRequest admission, BackendException failure) {
        return admission.request().target().key().isPresent() ? admission.hideMissingKey(failure) : failure;
    }

    /** Many requests that carry nothing do not say how long that is. */
    private static Mono<UploadBody> body(AuthorizedRequest admission) {
        return admission.request().body().announcedLength() == 0
                ? admission.withDocument(0, none -> Mono.just(UploadBody.of(0, Flux.empty())))
                : admission.body();
    }

    private Mono<S3Response> write(
            AuthorizedRequest admission,
            BucketView bucket,
            Optional<ObjectRef> object,
            ForwardRequest request,
            UploadBody body) {
        Mono<ForwardResponse> sent = bucket.backend().forwardWrite(request, body);
        Optional<String> version = admission.request().target().parameter("versionId");
        Mono<ForwardResponse> fenced = object.isPresent()
                ? writes.fenced(bucket, object.get(), version, sent)
                : writes.fencedBucket(bucket, sent);
        return fenced.map(
                answer -> new S3Response(answer.status(), answer.headers(), new S3Response.Bytes(answer.body())));
    }

    private static S3Response answer(ForwardRequest request, StreamingForwardResponse answer) {
        S3Response.Body body;
        if (request.method().equals("HEAD")) {
            body = new S3Response.NoBody(answer.length().orElse(0));
        } else if (answer.length().isPresent()) {
            Flux<ReferenceCounted> pieces = answer.body().cast(ReferenceCounted.class);
            body = new S3Response.CachedContent(answer.length().getAsLong(), pieces, answer::discard);
        } else {
            body = new S3Response.Chunked(answer.body());
        }
        return new S3Response(answer.status(), answer.headers(), body);
    }
}
