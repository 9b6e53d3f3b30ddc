package io.millrace.backend.s3;

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

/** Sends requests, byte for byte as they were signed, and brings their answers' heads. */
final class Sender {
    /** A request that is cancelled fails once more when its connection closes: Reactor would log that as an error. */
    private static final ContextView NOBODY_LISTENS =
            Context.of("reactor.onErrorDropped.local", (Consumer<Throwable>) afterCancel -> {});

    private final HttpClient client;

    Sender(HttpClient client) {
        this.client = client;
    }

    /**
     * Sends it at subscription. Cancelling gives the connection up until the head is here; afterwards the answer's body must
     * be read or given up, and is given up by itself when it has lain for the idle time.
     */
    Mono<WireAnswer> send(SdkHttpRequest request, Outgoing body, Deadlines deadlines) {
        InetSocketAddress address = address(request);
        Mono<WireAnswer> head = client.remoteAddress(() -> address)
                .request(HttpMethod.valueOf(request.method().name()))
                .uri(target(request))
                .send((toSend, out) -> write(request, body, toSend, out))
                .responseConnection((answer, connection) -> {
                    body.answered();
                    return Mono.just(answer(answer, connection, deadlines));
                })
                .next()
                .onErrorMap(AbortedException.class, e -> new IOException("the server closed the connection", e));
        return deadlines.untilFirstByte(head, body.sent()).contextWrite(NOBODY_LISTENS);
    }

    private static WireAnswer answer(HttpClientResponse head, Connection connection, Deadlines deadlines) {
        return new WireAnswer(head.status().code(), head.responseHeaders(), AnswerBody.of(connection, deadlines));
    }

    private static Publisher<Void> write(
            SdkHttpRequest request, Outgoing body, HttpClientRequest toSend, NettyOutbound out) {
        HttpHeaders headers = toSend.requestHeaders();
        // Reactor Netty's own, which nobody signed.
        headers.remove(HttpHeaderNames.ACCEPT);
        headers.set(HttpHeaderNames.HOST, host(request));
        request.forEachHeader(headers::set);
        // Asks for the bytes as they are. Behind the signature, because there are proxies that rewrite this field.
        headers.set(HttpHeaderNames.ACCEPT_ENCODING, HttpHeaderValues.IDENTITY);
        return body.over(out);
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
