package io.millrace.gateway.s3.server;

import io.millrace.auth.policy.RequestSource;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.util.ReferenceCounted;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Serves a request in the caller's thread without a socket; its client reads the first bytes of the response and
 * disconnects.
 */
public final class DirectExchange implements S3Exchange {
    /** The time limit, which is generous because all data is in memory. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** The number of bytes that the client reads of a stream. */
    public static final int TAKEN = 1 << 10;

    private final String method;
    private final String target;
    private final RequestHeaders headers;
    private final UnverifiedRequestBody body;
    private final S3Responder.@Nullable Admission admission;
    private final Progress progress = new Progress();
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
    private HeaderList answered = HeaderList.EMPTY;

    private DirectExchange(
            String method,
            String target,
            RequestHeaders headers,
            UnverifiedRequestBody body,
            S3Responder.@Nullable Admission admission) {
        this.method = method;
        this.target = target;
        this.headers = headers;
        this.body = body;
        this.admission = admission;
    }

    /**
     * The response to a request.
     *
     * @param status 0 if there was no response
     * @param body one char per byte; the whole body, or about the first KiB of a stream
     */
    public record Reply(int status, HeaderList headers, String body) {}

    /** Returns the response to a request. */
    public static Reply serve(
            RequestService service, String method, String target, RequestHeaders headers, UnverifiedRequestBody body) {
        return serve(service, new DirectExchange(method, target, headers, body, null));
    }

    /** Returns the response to a request that the fast path has passed on. */
    static Reply serve(RequestService service, FastPathRequest passedOn) {
        return serve(
                service,
                new DirectExchange(
                        passedOn.method(),
                        passedOn.rawTarget(),
                        passedOn.headers(),
                        passedOn.body(),
                        passedOn.admission()));
    }

    private static Reply serve(RequestService service, DirectExchange exchange) {
        service.serve(exchange).block(PATIENCE);
        String taken = exchange.taken.toString(StandardCharsets.ISO_8859_1);
        return new Reply(exchange.progress.status(), exchange.answered, taken);
    }

    @Override
    public String requestId() {
        return "0123456789ABCDEF";
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String rawTarget() {
        return target;
    }

    @Override
    public RequestHeaders headers() {
        return headers;
    }

    @Override
    public Optional<S3Exception> refusal() {
        return Optional.empty();
    }

    @Override
    public RequestSource source() {
        return new RequestSource(null, false);
    }

    @Override
    public String peer() {
        return "-";
    }

    @Override
    public S3Responder.@Nullable Admission admission() {
        return admission;
    }

    @Override
    public UnverifiedRequestBody body() {
        return body;
    }

    @Override
    public Progress progress() {
        return progress;
    }

    @Override
    public Mono<Void> send(S3Response response) {
        return Mono.defer(() -> {
            try {
                requireSendable(response.headers());
            } catch (IllegalArgumentException unsendable) {
                response.body().discard();
                return Mono.error(new InvalidResponseHeadersException(unsendable));
            }
            answered = response.headers();
            progress.head(response.status());
            return take(response.body());
        });
    }

    /** Rejects what a real response could not carry: Netty rejects line ends, and replaces chars above 0xFF. */
    private static void requireSendable(HeaderList headers) {
        DefaultHttpHeaders fields = new DefaultHttpHeaders();
        for (HeaderList.HeaderField field : headers.fields()) {
            fields.add(field.name(), field.value());
            if (field.value().chars().anyMatch(c -> c > 0xFF)) {
                throw new IllegalArgumentException("no byte in " + field.name());
            }
        }
    }

    private Mono<Void> take(S3Response.Body response) {
        if (response instanceof S3Response.Content pieces) {
            return take(pieces.content().body());
        }
        if (response instanceof S3Response.CachedContent blocks) {
            return take(blocks.pieces());
        }
        if (response instanceof S3Response.Chunked unending) {
            return take(unending.pieces());
        }
        if (response instanceof S3Response.Buffer buffer) {
            return take(Flux.just(buffer.content()));
        }
        if (response instanceof S3Response.Bytes bytes) {
            byte[] content = new byte[bytes.content().remaining()];
            bytes.content().duplicate().get(content);
            taken.writeBytes(content);
        }
        return Mono.empty();
    }

    private Mono<Void> take(Flux<? extends ReferenceCounted> pieces) {
        return pieces.doOnNext(piece -> {
                    ByteBuf bytes = (ByteBuf) piece;
                    byte[] content = new byte[bytes.readableBytes()];
                    bytes.readBytes(content);
                    taken.writeBytes(content);
                    bytes.release();
                })
                .takeUntil(piece -> taken.size() >= TAKEN)
                .then();
    }
}
