package io.millrace.gateway.s3.server;

import io.millrace.auth.policy.RequestSource;
import io.millrace.cache.CacheReader;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.connection.ConnectionSource;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.millrace.gateway.tls.TlsPipeline;
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
import reactor.util.context.Context;

/** Implements an exchange on Reactor Netty. Only {@code uri()} of its request is raw; its other path methods decode. */
final class NettyExchange implements S3Exchange {
    /** The largest unread body, in bytes, that is dropped to keep the connection open. */
    private static final long DROPPED_BODY = 64 * 1024;

    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final Channel channel;
    private final String requestId;
    private final S3Responder.@Nullable Admission admission;
    private final BooleanSupplier draining;
    private final Duration stalledReaderTimeout;
    private final Progress progress = new Progress();
    private final @Nullable TimedRequestBody pieces;
    private final UnverifiedRequestBody body;

    /**
     * @param passedOn the request as the fast path saw it, or null if it did not
     * @param draining returns whether the server is shutting down, so that the client should not reuse the connection
     * @param settings the timeouts of clients that stop reading a response or sending a request
     */
    NettyExchange(
            HttpServerRequest request,
            HttpServerResponse response,
            Channel channel,
            @Nullable FastPathRequest passedOn,
            BooleanSupplier draining,
            S3Settings settings) {
        this.request = request;
        this.response = response;
        this.channel = channel;
        this.requestId = passedOn == null ? RequestIdGenerator.next() : passedOn.requestId();
        this.admission = passedOn == null ? null : passedOn.admission();
        this.draining = draining;
        this.stalledReaderTimeout = settings.stalledReaderTimeout();
        long announced = announcedBody(request.requestHeaders());
        this.pieces = announced == 0
                ? null
                : new TimedRequestBody(announced, request.receive().retain(), channel, settings.idleTimeout());
        this.body = pieces == null ? UnverifiedRequestBody.NONE : new UnverifiedRequestBody(announced, pieces);
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
    public S3Responder.@Nullable Admission admission() {
        return admission;
    }

    /**
     * Returns the context in which response bodies are read. A body whose buffers are emitted on the connection's event
     * loop saves a thread switch; file regions cannot pass TLS.
     */
    Context bodyReaderContext() {
        Context context = Context.of(CacheReader.EXECUTOR, (Executor) this::onLoop);
        return TlsPipeline.isEncrypted(channel) ? context.put(CacheReader.BUFFERS_ONLY, true) : context;
    }

    @Override
    public RequestSource source() {
        return ConnectionSource.of(channel, headers());
    }

    @Override
    public UnverifiedRequestBody body() {
        return body;
    }

    @Override
    public Progress progress() {
        return progress;
    }

    /**
     * Sends the response on the connection's event loop, whatever thread produced it: Reactor Netty loses requests that
     * are received while another thread ends the response.
     */
    @Override
    public Mono<Void> send(S3Response s3Response) {
        return Mono.create(sink -> {
            try {
                onLoop(() -> sink.onDispose(sendOnLoop(s3Response)
                        .subscribe(nothing -> {}, sink::error, sink::success, Context.of(sink.contextView()))));
            } catch (RejectedExecutionException loopIsGone) {
                s3Response.body().discard();
                sink.error(new ClientDisconnectedException());
            }
        });
    }

    private void onLoop(Runnable step) {
        if (channel.eventLoop().inEventLoop()) {
            step.run();
        } else {
            channel.eventLoop().execute(step);
        }
    }

    private Mono<Void> sendOnLoop(S3Response s3Response) {
        if (isEmptyAndExpectsContinue()) {
            sendContinue();
        }
        S3Response.Body body = s3Response.body();
        try {
            writeHead(s3Response);
        } catch (IllegalArgumentException unsendable) {
            // Netty rejects line ends and other control characters in headers, which only a faulty backend sends.
            response.responseHeaders().clear();
            body.discard();
            return Mono.error(new InvalidResponseHeadersException(unsendable));
        }
        progress.head(s3Response.status());
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
            return sendPieces(unending, unending.pieces());
        }
        if (body instanceof S3Response.Bytes bytes) {
            progress.firstByte();
            progress.sent(bytes.length());
            return response.sendObject(Unpooled.wrappedBuffer(bytes.content())).then();
        }
        return response.then();
    }

    /**
     * Returns whether to send {@code 100 Continue} although the request has no body. S3 does, and clients rely on it.
     * After a response without it, aws-cli 1 and 2 (botocore) read the next response on the connection as one without
     * headers, and wait for its end.
     */
    private boolean isEmptyAndExpectsContinue() {
        return pieces == null
                && (HttpMethod.PUT.equals(request.method()) || HttpMethod.POST.equals(request.method()))
                && request.requestHeaders().contains(HttpHeaderNames.EXPECT, HttpHeaderValues.CONTINUE, true);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // If it cannot be sent, neither can the response after it.
    private void sendContinue() {
        channel.writeAndFlush(
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    }

    /**
     * Sends the headers and then the body. The body is discarded if the headers fail or are cancelled before it is
     * subscribed to.
     */
    private Mono<Void> sendPieces(S3Response.Body body, Flux<? extends ReferenceCounted> pieces) {
        AtomicBoolean taken = new AtomicBoolean();
        Mono<Void> write = Mono.defer(() -> taken.compareAndSet(false, true)
                ? ResponseBodyWriter.write(channel, body.length(), pieces, stalledReaderTimeout, progress)
                : Mono.error(new ClientDisconnectedException()));
        // An empty body is sent with its headers, but the subscriber must see its end first.
        Mono<Void> all = body.length() == 0
                ? write.then(Mono.defer(response::then))
                : response.sendHeaders().then(write).then();
        return all.doFinally(end -> {
            if (taken.compareAndSet(false, true)) {
                body.discard();
            }
        });
    }

    private void writeHead(S3Response s3Response) {
        response.status(s3Response.status());
        if (s3Response.body().length() < 0) {
            response.chunkedTransfer(true);
        } else if (s3Response.status() != 304) {
            response.responseHeaders().remove(HttpHeaderNames.TRANSFER_ENCODING);
        }
        ResponseHeaderWriter.write(s3Response, requestId, mayStayOpen(), response.responseHeaders());
    }

    /**
     * Returns whether the connection can be reused. The rest of an unread body must not be read as the next request: a
     * small rest is dropped, and after a larger one the connection is closed.
     */
    private boolean mayStayOpen() {
        return (pieces == null || isRead(pieces) || isDropped(pieces))
                && refusal().isEmpty()
                && !draining.getAsBoolean();
    }

    private boolean isRead(TimedRequestBody body) {
        return body.isEnded() && !MalformedRequestHandler.endedInABadChunk(channel);
    }

    private boolean isDropped(TimedRequestBody unread) {
        // After another response than 100, a client that waits for 100 may send the body or not.
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
        // Netty's decoder has rejected invalid numbers.
        return length == null ? 0 : Long.parseLong(length.strip());
    }
}
