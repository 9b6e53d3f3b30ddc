package io.millrace.gateway.s3.server;

import io.millrace.gateway.s3.connection.ConnectionActivity;
import io.millrace.gateway.s3.protocol.S3Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A channel handler that answers reads of objects in memory at once, before Reactor Netty sees them. Passes every other
 * request on; and all requests as long as the response to one of those is outstanding, because responses have the order
 * of requests.
 *
 * <p>One per connection, placed right after the codec.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the promise reports the result
final class FastPathHandler extends ChannelDuplexHandler implements ConnectionActivity {
    private static final long NOT_IDLE = Long.MIN_VALUE;

    private final Supplier<? extends RequestService> service;
    private final BooleanSupplier draining;
    private final UnsentResponses unsent;
    private final ChannelFutureListener onSent = sent -> noteSent();

    /** The number of requests that were passed on and have no complete response yet. */
    private int outstanding;

    /** Set once a response closes the connection. */
    private boolean closing;

    /** Set until the end of a request that was served here is received. */
    private boolean served;

    /** The last request, if this looked at it and passed it on. */
    private @Nullable FastPathRequest passedOn;

    /** The number of heads that were received. */
    private int heads;

    /** Set until the end of a request is received. */
    private boolean receiving;

    /**
     * When the last response was sent, by {@link System#nanoTime}. Other threads read it only if a connection must give
     * way.
     */
    private volatile long idleSince = NOT_IDLE;

    /**
     * @param service returns the service for the next request
     * @param draining returns whether the server is shutting down
     * @param stalledReaderTimeout how long the client may take nothing of what is sent to it
     */
    FastPathHandler(
            Supplier<? extends RequestService> service, BooleanSupplier draining, Duration stalledReaderTimeout) {
        this.service = service;
        this.draining = draining;
        this.unsent = new UnsentResponses(stalledReaderTimeout);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        receiving = !(message instanceof LastHttpContent);
        if (message instanceof HttpRequest request) {
            heads++;
            passedOn = null;
            served = mayServe(context) && serve(context, request);
            if (!served) {
                outstanding++;
                idleSince = NOT_IDLE;
            }
        }
        if (!served) {
            context.fireChannelRead(message);
            noteActivity();
            return;
        }
        ReferenceCountUtil.release(message);
        noteActivity();
        if (!receiving && !context.channel().config().isAutoRead()) {
            // Reactor Netty requested one read for the next request, and that was this.
            context.read();
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        boolean interim =
                message instanceof HttpResponse response && response.status().code() < 200;
        if (message instanceof HttpResponse response && !interim && !HttpUtil.isKeepAlive(response)) {
            closing = true;
        }
        boolean last = message instanceof LastHttpContent && !interim;
        if (last) {
            outstanding = Math.max(0, outstanding - 1);
        }
        if (last || (message instanceof HttpResponse && !interim)) {
            unsent.add();
            context.write(message, promise.unvoid().addListener(onSent));
            return;
        }
        context.write(message, promise);
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        context.flush();
        unsent.watch(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        unsent.stop();
        context.fireChannelInactive();
    }

    private void noteSent() {
        unsent.remove();
        noteActivity();
    }

    /**
     * Returns the request with these headers, once, if this looked at it and passed it on; otherwise null.
     *
     * @param headers compared by identity: no request may get what the gate said of another
     */
    @Nullable FastPathRequest takePassedOn(HttpHeaders headers) {
        FastPathRequest request = passedOn;
        passedOn = null;
        return request != null && request.hasHeaders(headers) ? request : null;
    }

    /** Returns the number of heads that the codec has decoded, which may overflow. */
    int heads() {
        return heads;
    }

    /** Returns whether the next bytes are those of a head. */
    boolean isBetweenRequests() {
        return !receiving;
    }

    /** Returns whether no request is being received, and all responses are complete and sent. */
    private boolean isIdle() {
        return !receiving && outstanding == 0 && unsent.isEmpty();
    }

    private void noteActivity() {
        if (isIdle()) {
            idleSince = System.nanoTime();
        } else if (idleSince != NOT_IDLE) {
            idleSince = NOT_IDLE;
        }
    }

    @Override
    public long idleNanos(long now) {
        long since = idleSince;
        return since == NOT_IDLE ? -1 : Math.max(0, now - since);
    }

    @Override
    public boolean closeIfIdle(Channel channel) {
        if (!isIdle()) {
            return false;
        }
        channel.close();
        return true;
    }

    @Override
    public long unsentNanos(long now) {
        return unsent.nanos(now);
    }

    @Override
    public boolean closeIfUnsent(Channel channel) {
        if (unsent.isEmpty()) {
            return false;
        }
        channel.close();
        return true;
    }

    /** Returns whether a response of the general path is not complete yet. */
    boolean hasOutstanding() {
        return outstanding > 0;
    }

    /**
     * Returns whether a response may be written now. A client that does not read its responses waits on the general
     * path.
     */
    private boolean mayServe(ChannelHandlerContext context) {
        return outstanding == 0 && !closing && context.channel().isWritable() && !draining.getAsBoolean();
    }

    private boolean serve(ChannelHandlerContext context, HttpRequest received) {
        FastPathRequest request = FastPathRequest.of(received, context.channel());
        RequestService.FastPathResponse found =
                request == null ? null : service.get().respondFromMemory(request);
        if (request == null || found == null) {
            passedOn = request;
            return false;
        }
        FullHttpResponse message = message(found.response());
        try {
            ResponseHeaderWriter.write(found.response(), request.requestId(), true, message.headers());
        } catch (IllegalArgumentException unsendable) {
            // The general path reads it again; what is known of this request has the body that is released here.
            message.release();
            return false;
        }
        send(context, message, request.progress(), found.observation().get());
        return true;
    }

    private static FullHttpResponse message(S3Response response) {
        ByteBuf body = response.body() instanceof S3Response.Buffer buffer ? buffer.content() : Unpooled.EMPTY_BUFFER;
        return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(response.status()), body);
    }

    private void send(
            ChannelHandlerContext context,
            FullHttpResponse message,
            ReceivedRequest.Progress progress,
            RequestObservation observation) {
        int length = message.content().readableBytes();
        progress.head(message.status().code());
        if (length > 0) {
            progress.firstByte();
        }
        unsent.add();
        context.writeAndFlush(message).addListener((ChannelFuture sent) -> {
            noteSent();
            if (sent.isSuccess()) {
                progress.sent(length);
                observation.sent();
            } else {
                observation.broken(sent.cause());
            }
        });
        unsent.watch(context);
    }
}
