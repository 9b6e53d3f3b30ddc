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
import io.netty.util.ReferenceCounted;
import java.nio.ByteBuffer;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Forwards requests with unknown fields, so that new features of S3 work before the gateway implements them. They
 * bypass the cache: a read is not stored or shared. A write invalidates whatever its method could change, even if its
 * response is lost.
 */
public record UnknownRequestForwarder(BucketRegistry buckets, FencedWrites writes) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        BucketView bucket = buckets.find(authorized.bucket());
        UnknownFieldPolicy.require(authorized, bucket);
        Optional<ObjectRef> object = authorized.request().target().key().map(bucket::at);
        ForwardRequest request = new ForwardRequest(
                authorized.request().method(),
                bucket.backendBucket(),
                object.map(ObjectRef::key),
                UnknownFieldPolicy.parameters(authorized.request()),
                UnknownFieldPolicy.headers(authorized, bucket),
                ByteBuffer.allocate(0),
                false);
        return authorized.request().isRead()
                ? read(authorized, bucket, request)
                : body(authorized).flatMap(body -> write(authorized, bucket, object, request, body));
    }

    private static Mono<S3Response> read(AuthorizedRequest authorized, BucketView bucket, ForwardRequest request) {
        return authorized.withDocument(
                0,
                none -> bucket.backend()
                        .forwardRead(request)
                        .onErrorMap(BackendException.class, failure -> seen(authorized, failure))
                        .map(response -> response(request, response))
                        .doOnDiscard(StreamingForwardResponse.class, StreamingForwardResponse::discard));
    }

    private static Throwable seen(AuthorizedRequest authorized, BackendException failure) {
        return authorized.request().target().key().isPresent() ? authorized.hideMissingKey(failure) : failure;
    }

    /** Returns the body of a write; many requests without a body send no Content-Length. */
    private static Mono<UploadBody> body(AuthorizedRequest authorized) {
        return authorized.request().body().announcedLength() == 0
                ? authorized.withDocument(0, none -> Mono.just(UploadBody.of(0, Flux.empty())))
                : authorized.body();
    }

    private Mono<S3Response> write(
            AuthorizedRequest authorized,
            BucketView bucket,
            Optional<ObjectRef> object,
            ForwardRequest request,
            UploadBody body) {
        Mono<ForwardResponse> sent = bucket.backend().forwardWrite(request, body);
        Optional<String> version = authorized.request().target().parameter("versionId");
        Mono<ForwardResponse> fenced = object.isPresent()
                ? writes.fenced(bucket, object.get(), version, sent)
                : writes.fencedBucket(bucket, sent);
        return fenced.map(response ->
                new S3Response(response.status(), response.headers(), new S3Response.Bytes(response.body())));
    }

    private static S3Response response(ForwardRequest request, StreamingForwardResponse response) {
        S3Response.Body body;
        if (request.method().equals("HEAD")) {
            body = new S3Response.NoBody(response.length().orElse(0));
        } else if (response.length().isPresent()) {
            Flux<ReferenceCounted> pieces = response.body().cast(ReferenceCounted.class);
            body = new S3Response.CachedContent(response.length().getAsLong(), pieces, response::discard);
        } else {
            body = new S3Response.Chunked(response.body(), response::discard);
        }
        return new S3Response(response.status(), response.headers(), body);
    }
}
