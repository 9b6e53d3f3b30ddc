package io.millrace.gateway.s3.server;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestBody;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.S3Response;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCounted;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** An exchange on Reactor Netty. Only {@code uri()} of its request is raw; the other readings of the path decode it. */
final class NettyExchange implements S3Exchange {
    /** A body up to this is cheaper to drop than a connection is to make. */
    private static final long DROPPED_BODY = 64 * 1024;

    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final Channel channel;
    private final String requestId;
    private final BooleanSupplier draining;
    private final Duration stalledReader;
    private final Progress progress = new Progress();
    private final @Nullable RequestBodyReceiver pieces;
    private final RequestBody body;

    /**
     * @param draining whether the server is shutting down, so that the client should not use this connection again
     * @param settings how long a client may take nothing of an answer, or send nothing of a request
     */
    NettyExchange(
            HttpServerRequest request,
            HttpServerResponse response,
            Channel channel,
            String requestId,
            BooleanSupplier draining,
            S3Settings settings) {
        this.request = request;
        this.response = response;
        this.channel = channel;
        this.requestId = requestId;
        this.draining = draining;
        this.stalledReader = settings.stalledReader();
        long announced = announcedBody(request.requestHeaders());
        this.pieces = announced == 0
                ? null
                : new RequestBodyReceiver(announced, request.receive().retain(), channel, settings.idleTimeout());
        this.body = pieces == null ? RequestBody.NONE : new RequestBody(announced, pieces);
    }

    @Override
    public String requestId() {
        return requestId;
    }

    @Override
    public String method() {
        return request.method().name();
    }

    @Override
    public String rawTarget() {
        return request.uri();
    }

    @Override
    public RequestHeaders headers() {
        return new NettyHeaders(request.requestHeaders());
    }

    @Override
    public Optional<S3Exception> refusal() {
        return request.requestHeaders() instanceof MalformedRequestHeaders refused
                ? Optional.of(refused.reason())
                : Optional.empty();
    }

    @Override
    public String peer() {
        InetSocketAddress address = request.remoteAddress();
        return address == null ? "-" : address.getAddress().getHostAddress();
    }

    @Override
    public RequestBody body() {
        return body;
    }

    @Override
    public Progress progress() {
        return progress;
    }

    /** On the connection's loop, whoever brings the answer: Reactor Netty loses requests that come while another ends it. */
    @Override
    public Mono<Void> send(S3Response answer) {
        return Mono.create(sink -> {
            try {
                onLoop(() -> sink.onDispose(sendOnLoop(answer).subscribe(nothing -> {}, sink::error, sink::success)));
            } catch (RejectedExecutionException loopIsGone) {
                answer.body().discard();
                sink.error(new ClientDisconnectedException());
            }
        });
    }

    @Override
    public Executor loop() {
        return this::onLoop;
    }

    private void onLoop(Runnable step) {
        if (channel.eventLoop().inEventLoop()) {
            step.run();
        } else {
            channel.eventLoop().execute(step);
        }
    }

    private Mono<Void> sendOnLoop(S3Response answer) {
        if (isEmptyAndExpectsContinue()) {
            sendContinue();
        }
        S3Response.Body body = answer.body();
        try {
            writeHead(answer);
        } catch (IllegalArgumentException unsendable) {
            // Netty refuses line ends and the like in a field, which only a broken backend has.
            response.responseHeaders().clear();
            body.discard();
            return Mono.error(new InvalidResponseHeadersException(unsendable));
        }
        progress.head(answer.status());
        if (body instanceof S3Response.Content pieces) {
            return sendPieces(pieces, pieces.content().body());
        }
        if (body instanceof S3Response.CachedContent blocks) {
            return sendPieces(blocks, blocks.pieces());
        }
        if (body instanceof S3Response.Buffer buffer) {
            progress.firstByte();
            progress.sent(buffer.length());
            return response.sendObject(buffer.content()).then();
        }
        if (body instanceof S3Response.Chunked unending) {
            progress.firstByte();
            return response.send(
                            unending.pieces().doOnNext(piece -> progress.sent(piece.readableBytes())), piece -> true)
                    .then();
        }
        if (body instanceof S3Response.Bytes bytes) {
            progress.firstByte();
            progress.sent(bytes.length());
            return response.sendObject(Unpooled.wrappedBuffer(bytes.content())).then();
        }
        return response.then();
    }

    /**
     * S3 sends {@code 100 Continue} before it answers a request without a body, too, and clients rely on that: behind an answer without
     * it, those of botocore that aws-cli 1 and 2 have take the next answer on the connection for one without fields, and wait for its end.
     */
    private boolean isEmptyAndExpectsContinue() {
        return pieces == null
                && (HttpMethod.PUT.equals(request.method()) || HttpMethod.POST.equals(request.method()))
                && request.requestHeaders().contains(HttpHeaderNames.EXPECT, HttpHeaderValues.CONTINUE, true);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // If it cannot be sent, neither can the answer behind it.
    private void sendContinue() {
        channel.writeAndFlush(
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    }

    /** The head may fail or be cancelled before the body is asked for; the body is given up then. */
    private Mono<Void> sendPieces(S3Response.Body body, Flux<? extends ReferenceCounted> pieces) {
        AtomicBoolean taken = new AtomicBoolean();
        Mono<Void> write = Mono.defer(() -> taken.compareAndSet(false, true)
                ? ResponseBodyWriter.write(channel, body.length(), pieces, stalledReader, progress)
                : Mono.error(new ClientDisconnectedException()));
        // An empty body is sent with its head, but whoever holds it must see its end first.
        Mono<Void> all = body.length() == 0
                ? write.then(Mono.defer(response::then))
                : response.sendHeaders().then(write).then();
        return all.doFinally(end -> {
            if (taken.compareAndSet(false, true)) {
                body.discard();
            }
        });
    }

    private void writeHead(S3Response answer) {
        response.status(answer.status());
        HttpHeaders headers = response.responseHeaders();
        headers.set("x-amz-request-id", requestId);
        headers.set(HttpHeaderNames.SERVER, "Millrace");
        headers.set(HttpHeaderNames.DATE, DateHeaderCache.now());
        for (HeaderList.HeaderField field : answer.headers().fields()) {
            headers.add(field.name(), field.value());
        }
        if (answer.body().length() < 0) {
            response.chunkedTransfer(true);
        } else if (answer.status() != 304) {
            headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
            headers.set(
                    HttpHeaderNames.CONTENT_LENGTH, Long.toString(answer.body().length()));
        }
        if (!mayStayOpen()) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
    }

    /** What is left of a body must not be taken for the next request: it is dropped if it is small, else it is the last. */
    private boolean mayStayOpen() {
        return (pieces == null || isRead(pieces) || isDropped(pieces))
                && refusal().isEmpty()
                && !draining.getAsBoolean();
    }

    private boolean isRead(RequestBodyReceiver body) {
        return body.isEnded() && !MalformedRequestHandler.endedInABadChunk(channel);
    }

    private boolean isDropped(RequestBodyReceiver unread) {
        // Whoever waits for 100 and is answered otherwise may send the body or not, and nobody can tell which.
        return !unread.isBegun()
                && body.announcedLength() > 0
                && body.announcedLength() <= DROPPED_BODY
                && !request.requestHeaders().contains(HttpHeaderNames.EXPECT);
    }

    private static long announcedBody(HttpHeaders headers) {
        if (headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            return -1;
        }
        @Nullable String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
        // Netty's decoder has refused what is no number.
        return length == null ? 0 : Long.parseLong(length.strip());
    }
}
