package io.millrace.backend.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.NettyOutbound;
import reactor.netty.channel.AbortedException;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientRequest;
import reactor.netty.http.client.HttpClientResponse;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** Sends HTTP requests exactly as they were signed, and completes when the response headers arrive. */
public final class HttpRequestSender {
    /**
     * Handles signals that arrive after a cancel. A response would keep its connection out of the pool, so it is
     * discarded. The failure of a closing connection is dropped: Reactor would log it as an error.
     */
    private static final ContextView AFTER_CANCEL = Context.of(
            "reactor.onNextDropped.local", (Consumer<Object>) HttpRequestSender::discard,
            "reactor.onErrorDropped.local", (Consumer<Throwable>) ignored -> {});

    private final HttpClient client;
    private final CharSequence acceptEncoding;

    /**
     * Creates a sender that requests bytes as they are stored, from servers that encode them only where a client
     * accepts it.
     */
    public HttpRequestSender(HttpClient client) {
        this(client, HttpHeaderValues.IDENTITY);
    }

    /**
     * @param acceptEncoding the value of {@code Accept-Encoding}; the caller decodes what it accepts
     */
    public HttpRequestSender(HttpClient client, CharSequence acceptEncoding) {
        this.client = client;
        this.acceptEncoding = acceptEncoding;
    }

    /**
     * Sends a request at subscription. Cancelling before the response headers arrive closes the connection; afterwards
     * the response's body must be read or discarded, and is discarded after the idle timeout.
     */
    public Mono<StreamingResponse> send(HttpRequestHead request, OutgoingRequestBody body, HttpTimeouts deadlines) {
        Mono<StreamingResponse> head = client.remoteAddress(request::address)
                .request(HttpMethod.valueOf(request.method()))
                .uri(request.target())
                .send((toSend, out) -> write(request, body, toSend, out))
                .responseConnection((response, connection) -> {
                    body.responseStarted();
                    return Mono.just(response(response, connection, deadlines));
                })
                .next()
                .onErrorMap(AbortedException.class, e -> new IOException("the server closed the connection", e));
        return deadlines
                .untilFirstByte(head, body.sent())
                .doOnDiscard(Object.class, HttpRequestSender::discard)
                .contextWrite(AFTER_CANCEL);
    }

    private static void discard(Object dropped) {
        if (dropped instanceof Connection connection) {
            connection.dispose();
        } else if (dropped instanceof StreamingResponse response) {
            response.body().discard();
        }
    }

    private static StreamingResponse response(HttpClientResponse head, Connection connection, HttpTimeouts deadlines) {
        return new StreamingResponse(
                head.status().code(), head.responseHeaders(), ResponseBody.of(connection, deadlines));
    }

    private Publisher<Void> write(
            HttpRequestHead request, OutgoingRequestBody body, HttpClientRequest toSend, NettyOutbound out) {
        HttpHeaders headers = toSend.requestHeaders();
        // Set by Reactor Netty and not signed.
        headers.remove(HttpHeaderNames.ACCEPT);
        request.headers().fields().forEach(field -> headers.remove(field.name()));
        request.headers().fields().forEach(field -> headers.add(field.name(), field.value()));
        // Not signed, because some proxies rewrite this header.
        headers.set(HttpHeaderNames.ACCEPT_ENCODING, acceptEncoding);
        return body.writeTo(out);
    }
}
