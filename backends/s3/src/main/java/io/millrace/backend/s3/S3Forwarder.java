package io.millrace.backend.s3;

import io.millrace.backend.s3.Road.Manner;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.Forwarder;
import io.millrace.backend.spi.Forwarder.ForwardAnswer;
import io.millrace.backend.spi.Forwarder.ForwardStream;
import io.millrace.backend.spi.Forwarder.Forwarded;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Passes requests on as they are, under our own signature. */
final class S3Forwarder {
    /** RFC 9110, 9.2.2. */
    private static final Set<SdkHttpMethod> IDEMPOTENT =
            Set.of(SdkHttpMethod.GET, SdkHttpMethod.HEAD, SdkHttpMethod.PUT, SdkHttpMethod.DELETE);

    private static final Set<String> PASSED_ON = Set.of("content-type", "etag", "last-modified");

    /** What describes a body that is passed on as it comes, besides. */
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

    private final S3Client client;
    private final Failures failures;

    S3Forwarder(S3Client client) {
        this.client = client;
        this.failures = new Failures(client.origin());
    }

    Mono<ForwardAnswer> forward(Forwarded request) {
        return Mono.defer(() -> {
                    WireRequest wire = wire(request, method(request.method()));
                    return client.exchange(wire, manner(request, wire), Forwarder.MAX_ANSWER_BYTES);
                })
                .map(S3Forwarder::answer)
                .onErrorMap(failure -> failures.of(Asked.forward(request), failure));
    }

    Mono<ForwardStream> read(Forwarded request) {
        Asked asked = Asked.forward(request);
        return Mono.defer(() -> client.open(wire(request, method(request.method()))))
                .flatMap(answer -> asked.head()
                        ? answer.body().drain().thenReturn(stream(answer, Flux.empty()))
                        : Mono.just(stream(answer, body(asked, answer))))
                .doOnDiscard(ForwardStream.class, ForwardStream::discard)
                .onErrorMap(failure -> failures.of(asked, failure));
    }

    Mono<ForwardAnswer> write(Forwarded request, UploadBody body) {
        Asked asked = Asked.forward(request);
        return Mono.defer(() -> client.uploadOnce(
                        wire(request, method(request.method())), body, failure -> failures.of(asked, failure)))
                .map(S3Forwarder::answer);
    }

    private static Manner manner(Forwarded request, WireRequest wire) {
        if (!request.repeatable()) {
            return Manner.NEVER_AGAIN;
        }
        return IDEMPOTENT.contains(wire.method()) ? Manner.REPEATABLE : Manner.ONCE;
    }

    private static ForwardAnswer answer(Reply reply) {
        return new ForwardAnswer(reply.status(), reply.told(PASSED_ON), ByteBuffer.wrap(reply.bytes()));
    }

    private static ForwardStream stream(WireAnswer answer, Flux<ByteBuf> body) {
        HeaderList headers = Reply.told(new HeaderList(answer.fields()), PASSED_ON_WITH_A_BODY);
        return new ForwardStream(answer.status(), headers, length(answer), body);
    }

    /** A body whose length was said brings that or fails. */
    private Flux<ByteBuf> body(Asked asked, WireAnswer answer) {
        UnaryOperator<Throwable> failure = cause -> failures.inBody(asked, cause);
        OptionalLong length = length(answer);
        return length.isPresent()
                ? new MeasuredBody(answer.body(), length.getAsLong(), failure)
                : answer.body().onErrorMap(failure);
    }

    /** Netty has refused what is no length. */
    private static OptionalLong length(WireAnswer answer) {
        String text = answer.headers().get("content-length");
        return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text.strip()));
    }

    private static WireRequest wire(Forwarded request, SdkHttpMethod method) {
        byte[] body = new byte[request.body().remaining()];
        request.body().duplicate().get(body);
        return new WireRequest(
                method,
                request.bucket(),
                request.key(),
                request.query(),
                headers(request, body),
                new WireRequest.Body.Bytes(ByteBuffer.wrap(body)));
    }

    /** S3 takes some configurations only with a checksum. */
    private static HeaderList headers(Forwarded request, byte[] body) {
        HeaderList given = request.headers();
        boolean summed = given.fields().stream()
                .anyMatch(field ->
                        field.name().equals("content-md5") || field.name().startsWith("x-amz-checksum-"));
        return summed || body.length == 0 ? given : given.with("content-md5", Md5.of(body));
    }

    private static SdkHttpMethod method(String name) {
        try {
            return SdkHttpMethod.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw new BackendException(Kind.UNSUPPORTED, "no method of S3: " + name);
        }
    }
}
