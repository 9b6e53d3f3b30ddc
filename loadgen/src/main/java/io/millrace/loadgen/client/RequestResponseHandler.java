package io.millrace.loadgen.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends requests on a channel, one at a time, and passes each response to the listener of its request. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which fails the request
final class RequestResponseHandler extends ChannelInboundHandlerAdapter {
    private static final long CHECK_SECONDS = 1;

    private final BucketAddress endpoint;
    private final OutgoingRequestSigner authenticator;
    private final Duration timeout;

    @SuppressWarnings("NullAway.Init") // set when the handler is added, before anything else
    private ChannelHandlerContext context;

    private @Nullable Future<?> stallCheck;
    private @Nullable ResponseListener listener;
    private @Nullable PayloadSource unsent;
    private long sent;
    private boolean isWriting;
    private long lastProgress;
    private boolean isReusable = true;

    RequestResponseHandler(BucketAddress endpoint, OutgoingRequestSigner authenticator, Duration timeout) {
        this.endpoint = endpoint;
        this.authenticator = authenticator;
        this.timeout = timeout;
    }

    boolean isUsable() {
        return isReusable && context.channel().isActive();
    }

    void close() {
        context.close();
    }

    void send(OutgoingRequest request, ResponseListener receiver) {
        listener = receiver;
        lastProgress = System.nanoTime();
        try {
            String target = endpoint.target(request.key(), request.query());
            PayloadSource body = request.body();
            if (body.length() == 0) {
                HttpRequest whole = new DefaultFullHttpRequest(
                        HttpVersion.HTTP_1_1, request.method(), target, Unpooled.EMPTY_BUFFER);
                addHeaders(whole.headers(), request, target);
                context.writeAndFlush(whole);
                return;
            }
            HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, request.method(), target);
            addHeaders(head.headers(), request, target);
            context.write(head);
            unsent = body;
            sent = 0;
            writeBody();
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void addHeaders(HttpHeaders headers, OutgoingRequest request, String target) {
        authenticator
                .sign(endpoint, request.method().name(), target, request.headers())
                .forEach(headers::set);
        headers.set(HttpHeaderNames.HOST, endpoint.hostHeader());
        if (request.method().equals(HttpMethod.PUT) || request.method().equals(HttpMethod.POST)) {
            headers.set(
                    HttpHeaderNames.CONTENT_LENGTH, Long.toString(request.body().length()));
        }
    }

    /** Writes as much of the body as the socket takes. A write may change the writability and call this again. */
    private void writeBody() {
        if (isWriting) {
            return;
        }
        isWriting = true;
        while (unsent != null && context.channel().isWritable()) {
            writePiece(unsent);
            context.flush();
        }
        isWriting = false;
    }

    private void writePiece(PayloadSource body) {
        ByteBuf piece = body.piece(sent);
        sent += piece.readableBytes();
        if (sent < body.length()) {
            context.write(new DefaultHttpContent(piece));
        } else {
            unsent = null;
            context.write(new DefaultLastHttpContent(piece));
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        stallCheck = active.executor()
                .scheduleAtFixedRate(this::checkProgress, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
        active.fireChannelActive();
    }

    private void checkProgress() {
        if (listener != null && System.nanoTime() - lastProgress > timeout.toNanos()) {
            fail(new StalledException(timeout));
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        lastProgress = System.nanoTime();
        writeBody();
    }

    @Override
    public void channelRead(ChannelHandlerContext read, Object message) {
        try {
            lastProgress = System.nanoTime();
            if (message instanceof HttpResponse response) {
                receiveHead(response);
            }
            if (message instanceof HttpContent content) {
                receiveContent(content);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void receiveHead(HttpResponse response) {
        if (response.decoderResult().isFailure()) {
            fail(response.decoderResult().cause());
        } else if (listener != null && response.status().code() >= 200) {
            isReusable = HttpUtil.isKeepAlive(response);
            listener.onHeaders(response);
        }
    }

    private void receiveContent(HttpContent content) {
        if (content.decoderResult().isFailure()) {
            fail(content.decoderResult().cause());
            return;
        }
        if (listener != null && content.content().isReadable()) {
            listener.onBody(content.content());
        }
        if (listener != null && content instanceof LastHttpContent) {
            end(listener);
        }
    }

    private void end(ResponseListener ended) {
        listener = null;
        if (!isReusable || unsent != null) { // a body that was refused in the middle ends the connection
            isReusable = false;
            unsent = null;
            context.close();
        }
        ended.onEnd();
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        if (stallCheck != null) {
            stallCheck.cancel(false);
        }
        fail(new ClosedChannelException());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        fail(cause);
    }

    private void fail(Throwable failure) {
        ResponseListener failed = listener;
        listener = null;
        unsent = null;
        isReusable = false;
        context.close();
        if (failed != null) {
            failed.onFailure(failure);
        }
    }
}
