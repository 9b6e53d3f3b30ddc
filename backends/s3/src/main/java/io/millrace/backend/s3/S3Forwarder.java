package io.millrace.backend.s3;

import io.millrace.backend.s3.Road.Manner;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.Forwarder;
import io.millrace.backend.spi.Forwarder.ForwardAnswer;
import io.millrace.backend.spi.Forwarder.Forwarded;
import io.millrace.backend.spi.HeaderList;
import java.nio.ByteBuffer;
import java.util.Set;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Passes requests on as they are, under our own signature. */
final class S3Forwarder {
    /** RFC 9110, 9.2.2. */
    private static final Set<SdkHttpMethod> IDEMPOTENT =
            Set.of(SdkHttpMethod.GET, SdkHttpMethod.HEAD, SdkHttpMethod.PUT, SdkHttpMethod.DELETE);

    private static final Set<String> PASSED_ON = Set.of("content-type", "etag", "last-modified");

    private final S3Client client;
    private final Failures failures;

    S3Forwarder(S3Client client) {
        this.client = client;
        this.failures = new Failures(client.origin());
    }

    Mono<ForwardAnswer> forward(Forwarded request) {
        return Mono.defer(() -> {
                    WireRequest wire = wire(request, method(request.method()));
                    Manner manner = IDEMPOTENT.contains(wire.method()) ? Manner.REPEATABLE : Manner.ONCE;
                    return client.exchange(wire, manner, Forwarder.MAX_ANSWER_BYTES);
                })
                .map(reply -> new ForwardAnswer(reply.status(), reply.told(PASSED_ON), ByteBuffer.wrap(reply.bytes())))
                .onErrorMap(failure -> failures.of(Asked.forward(request), failure));
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
