package io.millrace.backend.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.NettyOutbound;
import reactor.netty.channel.AbortedException;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientRequest;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.transport.AddressUtils;
import reactor.util.context.Context;
import reactor.util.context.ContextView;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/** Sends HTTP requests byte for byte as they were signed, and completes when the response headers arrive. */
public final class HttpRequestSender {
    /** Drops the second failure of a cancelled request, when its connection closes: Reactor would log it as an error. */
    private static final ContextView IGNORE_DROPPED_ERRORS =
            Context.of("reactor.onErrorDropped.local", (Consumer<Throwable>) afterCancel -> {});

    private final HttpClient client;

    public HttpRequestSender(HttpClient client) {
        this.client = client;
    }

    /**
     * Sends a request at subscription. Cancelling before the response headers arrive closes the connection; afterwards the
     * response's body must be read or discarded, and is discarded after the idle timeout.
     */
    public Mono<StreamingResponse> send(SdkHttpRequest request, OutgoingBody body, HttpTimeouts deadlines) {
        InetSocketAddress address = address(request);
        Mono<StreamingResponse> head = client.remoteAddress(() -> address)
                .request(HttpMethod.valueOf(request.method().name()))
                .uri(target(request))
                .send((toSend, out) -> write(request, body, toSend, out))
                .responseConnection((answer, connection) -> {
                    body.responseStarted();
                    return Mono.just(answer(answer, connection, deadlines));
                })
                .next()
                .onErrorMap(AbortedException.class, e -> new IOException("the server closed the connection", e));
        return deadlines.untilFirstByte(head, body.sent()).contextWrite(IGNORE_DROPPED_ERRORS);
    }

    private static StreamingResponse answer(HttpClientResponse head, Connection connection, HttpTimeouts deadlines) {
        return new StreamingResponse(
                head.status().code(), head.responseHeaders(), ResponseBody.of(connection, deadlines));
    }

    private static Publisher<Void> write(
            SdkHttpRequest request, OutgoingBody body, HttpClientRequest toSend, NettyOutbound out) {
        HttpHeaders headers = toSend.requestHeaders();
        // Set by Reactor Netty and not signed.
        headers.remove(HttpHeaderNames.ACCEPT);
        headers.set(HttpHeaderNames.HOST, host(request));
        request.forEachHeader(headers::set);
        // Requests the bytes as stored. Not signed, because some proxies rewrite this header.
        headers.set(HttpHeaderNames.ACCEPT_ENCODING, HttpHeaderValues.IDENTITY);
        return body.writeTo(out);
    }

    private static String target(SdkHttpRequest request) {
        return request.encodedPath()
                + request.encodedQueryParameters().map(query -> "?" + query).orElse("");
    }

    private static InetSocketAddress address(SdkHttpRequest request) {
        String host = request.host();
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return AddressUtils.createUnresolved(bracketed ? host.substring(1, host.length() - 1) : host, request.port());
    }

    private static String host(SdkHttpRequest request) {
        return SdkHttpUtils.isUsingStandardPort(request.protocol(), request.port())
                ? request.host()
                : request.host() + ":" + request.port();
    }
}
