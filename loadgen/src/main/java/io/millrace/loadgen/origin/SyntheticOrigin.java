package io.millrace.loadgen.origin;

import io.millrace.loadgen.client.ByteSpan;
import io.millrace.loadgen.client.SyntheticObject;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/**
 * S3 endpoint that serves every {@link SyntheticObject} in every bucket. It supports path-style GET and HEAD with Range
 * and If-Match, takes every PUT without keeping it, lists nothing, and ignores signatures. {@code GET /-/stats} returns
 * its request counters.
 */
public final class SyntheticOrigin {
    private static final int PIECE = 64 << 10;

    private static final String EMPTY_LIST = "<ListBucketResult><Name>any</Name><KeyCount>0</KeyCount>"
            + "<IsTruncated>false</IsTruncated></ListBucketResult>";

    private final Duration thinking;
    private final LongAdder gets = new LongAdder();
    private final LongAdder heads = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    /** Creates an origin that waits {@code thinking} before each response. */
    public SyntheticOrigin(Duration thinking) {
        this.thinking = thinking;
    }

    /** Listens until the returned server is disposed. */
    public DisposableServer listen(String address, int port) {
        return HttpServer.create().host(address).port(port).handle(this::result).bindNow();
    }

    private Publisher<Void> result(HttpServerRequest request, HttpServerResponse response) {
        if (request.uri().equals("/-/stats")) {
            return response.sendString(
                    Mono.just("gets=%d%nheads=%d%nbytes=%d%n".formatted(gets.sum(), heads.sum(), bytes.sum())));
        }
        Mono<Void> result = Mono.from(object(request, response));
        return thinking.isZero() ? result : Mono.delay(thinking).then(result);
    }

    private Publisher<Void> object(HttpServerRequest request, HttpServerResponse response) {
        if (request.method().equals(HttpMethod.PUT)) {
            return request.receive()
                    .then(response.header(HttpHeaderNames.ETAG, "\"taken\"").send());
        }
        boolean head = request.method().equals(HttpMethod.HEAD);
        if (!head && !request.method().equals(HttpMethod.GET)) {
            return response.status(HttpResponseStatus.NOT_IMPLEMENTED).send();
        }
        (head ? heads : gets).increment();
        Optional<String> key = key(request.uri());
        if (key.isEmpty()) {
            // With a length: what bench/faulty_proxy.py forwards has no chunks.
            return response.header(HttpHeaderNames.CONTENT_TYPE, "application/xml")
                    .header(HttpHeaderNames.CONTENT_LENGTH, String.valueOf(EMPTY_LIST.length()))
                    .sendString(Mono.just(EMPTY_LIST));
        }
        Optional<SyntheticObject> object = key.flatMap(SyntheticObject::of);
        if (object.isEmpty()) {
            return error(response, HttpResponseStatus.NOT_FOUND, "NoSuchKey");
        }
        return result(object.get(), head, request, response);
    }

    private Publisher<Void> result(
            SyntheticObject object, boolean head, HttpServerRequest request, HttpServerResponse response) {
        String ifMatch = request.requestHeaders().get(HttpHeaderNames.IF_MATCH);
        if (ifMatch != null && !ifMatch.equals(object.etag())) {
            return error(response, HttpResponseStatus.PRECONDITION_FAILED, "PreconditionFailed");
        }
        String range = request.requestHeaders().get(HttpHeaderNames.RANGE);
        Optional<ByteSpan> span = ByteSpan.of(range, object.size());
        if (span.isEmpty()) {
            return error(response, HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE, "InvalidRange");
        }
        describe(object, span.get(), range != null, response);
        return head ? response.send() : response.send(content(object, span.get()));
    }

    private static void describe(SyntheticObject object, ByteSpan span, boolean partly, HttpServerResponse response) {
        response.header(HttpHeaderNames.ETAG, object.etag())
                .header(HttpHeaderNames.LAST_MODIFIED, "Sun, 01 Nov 2026 00:00:00 GMT")
                .header(HttpHeaderNames.ACCEPT_RANGES, "bytes")
                .header(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream")
                .header(HttpHeaderNames.CONTENT_LENGTH, Long.toString(span.length()));
        if (partly) {
            response.status(HttpResponseStatus.PARTIAL_CONTENT)
                    .header(
                            HttpHeaderNames.CONTENT_RANGE,
                            "bytes %d-%d/%d".formatted(span.from(), span.end() - 1, object.size()));
        }
    }

    private Flux<ByteBuf> content(SyntheticObject object, ByteSpan span) {
        return Flux.generate(span::from, (at, sink) -> {
            if (at == span.end()) {
                sink.complete();
                return at;
            }
            ByteBuf piece = object.bytes(at, (int) Math.min(PIECE, span.end() - at));
            // Read before the piece is emitted: after that it may have been written and have no readable bytes.
            long next = at + piece.readableBytes();
            bytes.add(next - at);
            sink.next(piece);
            return next;
        });
    }

    /** Returns the key in {@code /bucket/key}. */
    private static Optional<String> key(String target) {
        int slash = target.indexOf('/', 1);
        int query = target.indexOf('?');
        return slash < 0
                ? Optional.empty()
                : Optional.of(target.substring(slash + 1, query < 0 ? target.length() : query));
    }

    private static Publisher<Void> error(HttpServerResponse response, HttpResponseStatus status, String code) {
        return response.status(status)
                .header(HttpHeaderNames.CONTENT_TYPE, "application/xml")
                .sendString(Mono.just("<Error><Code>" + code + "</Code></Error>"));
    }
}
