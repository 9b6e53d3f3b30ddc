package io.millrace.backend.s3;

import io.millrace.backend.http.AcknowledgementCheck;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.LengthCheckedBody;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.s3.S3RequestExecutor.ProcessingTime;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.RequestForwarder;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardResponse;
import io.millrace.backend.spi.RequestForwarder.StreamingForwardResponse;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Forwards S3 requests unchanged to the backend's server, signed with the backend's credentials. */
record S3Forwarder(S3Client client) implements RequestForwarder {
    private static final Set<String> PASSED_ON = Set.of("content-type", "etag", "last-modified");

    /** The forwarded headers of a streamed response, besides {@code x-amz-*}. */
    private static final Set<String> PASSED_ON_WITH_A_BODY = Set.of(
            "accept-ranges",
            "cache-control",
            "content-disposition",
            "content-encoding",
            "content-language",
            "content-range",
            "content-type",
            "etag",
            "expires",
            "last-modified");

    @Override
    public Mono<ForwardResponse> forward(ForwardRequest request) {
        return Mono.defer(() -> {
                    UnsignedRequest wire = wire(request, method(request.method()));
                    return client.exchange(wire, processingTime(request), RequestForwarder.MAX_RESPONSE_BYTES);
                })
                .map(AcknowledgementCheck::requireNoPage)
                .map(S3Forwarder::response)
                .onErrorMap(failure -> client.failures().map(ErrorResponseContext.forward(request), failure));
    }

    @Override
    public Mono<StreamingForwardResponse> forwardRead(ForwardRequest request) {
        ErrorResponseContext context = ErrorResponseContext.forward(request);
        return Mono.defer(() -> client.open(wire(request, method(request.method()))))
                .flatMap(response -> context.head()
                        ? response.body().drain().thenReturn(stream(response, Flux.empty()))
                        : Mono.just(stream(response, body(context, response))))
                .doOnDiscard(StreamingForwardResponse.class, StreamingForwardResponse::discard)
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    @Override
    public Mono<ForwardResponse> forwardWrite(ForwardRequest request, UploadBody body) {
        ErrorResponseContext context = ErrorResponseContext.forward(request);
        return Mono.defer(() -> client.upload(
                        wire(request, method(request.method())),
                        body,
                        failure -> client.failures().map(context, failure)))
                .map(S3Forwarder::response);
    }

    private static ProcessingTime processingTime(ForwardRequest request) {
        return request.repeatable() ? ProcessingTime.SHORT : ProcessingTime.LONG;
    }

    private static ForwardResponse response(BufferedResponse reply) {
        return new ForwardResponse(
                reply.status(), ForwardedResponseHeaders.of(reply.fields(), PASSED_ON), ByteBuffer.wrap(reply.bytes()));
    }

    private static StreamingForwardResponse stream(StreamingResponse response, Flux<ByteBuf> body) {
        HeaderList headers = ForwardedResponseHeaders.of(new HeaderList(response.fields()), PASSED_ON_WITH_A_BODY);
        return new StreamingForwardResponse(response.status(), headers, length(response), body);
    }

    /** Returns the body; with an announced length it emits exactly that or fails. */
    private Flux<ByteBuf> body(ErrorResponseContext context, StreamingResponse response) {
        UnaryOperator<Throwable> failure = cause -> client.failures().mapBodyFailure(context, cause);
        OptionalLong length = length(response);
        return length.isPresent()
                ? LengthCheckedBody.of(response.body(), length.getAsLong(), failure)
                : response.body().onErrorMap(failure);
    }

    /** Netty has already refused an invalid length. */
    private static OptionalLong length(StreamingResponse response) {
        String text = response.headers().get("content-length");
        return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text.strip()));
    }

    /** Adds Content-MD5 if there is no checksum: S3 requires one for some configurations. */
    private static UnsignedRequest wire(ForwardRequest request, SdkHttpMethod method) {
        ByteBuffer body = request.body().duplicate();
        UnsignedRequest wire = new UnsignedRequest(
                method,
                Optional.of(request.bucket()),
                request.key(),
                request.query(),
                request.headers(),
                new UnsignedRequest.RequestPayload.BytesPayload(body));
        boolean summed = request.headers().fields().stream()
                .anyMatch(field -> field.name().equals("content-md5") || ChecksumAlgorithm.isHeader(field.name()));
        return summed || !body.hasRemaining() ? wire : wire.withContentMd5();
    }

    private static SdkHttpMethod method(String name) {
        try {
            return SdkHttpMethod.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw new BackendException(FailureKind.UNSUPPORTED, "not a method of S3: " + name);
        }
    }
}
