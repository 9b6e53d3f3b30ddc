package io.millrace.gateway.s3.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A channel handler that closes a connection whose client begins the head of a request and does not complete it in
 * time, however often it sends a byte. A head that arrives whole costs a comparison; only a partial one starts a timer.
 *
 * <p>One per connection, placed before the codec and after TLS.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the connection is abandoned
final class RequestHeadDeadline extends ChannelInboundHandlerAdapter {
    private final FastPathHandler requests;
    private final long nanos;
    private final Runnable onLate;
    private @Nullable Future<?> timer;

    /**
     * @param requests follows what the codec decodes
     * @param onLate counts a connection that is closed
     */
    RequestHeadDeadline(FastPathHandler requests, Duration timeout, Runnable onLate) {
        this.requests = requests;
        this.nanos = timeout.toNanos();
        this.onLate = onLate;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        boolean between = requests.isBetweenRequests();
        int before = requests.heads();
        context.fireChannelRead(message); // decodes the message
        if (timer != null && requests.heads() != before) {
            stop();
        } else if (timer == null && between && requests.heads() == before) {
            start(context, before);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        stop();
        context.fireChannelInactive();
    }

    private void start(ChannelHandlerContext context, int head) {
        if (context.channel().isActive()) {
            timer = context.executor().schedule(() -> expire(context, head), nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void expire(ChannelHandlerContext context, int head) {
        timer = null;
        if (requests.hasOutstanding()) {
            // The rest of this head may be here, unread until the response before it has ended.
            start(context, head);
        } else if (requests.heads() == head) {
            onLate.run();
            context.close();
        }
    }
}
