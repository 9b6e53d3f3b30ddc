package io.millrace.gateway.s3.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A channel handler that closes a connection only after its client has stopped sending, so that the response is not
 * lost. A plain close would react to those bytes with a TCP reset, which may destroy the response before the client has
 * read it. So this handler first closes the sending side and drops what it receives. It closes the rest after the
 * client has closed its side, or after {@link #MOST_BYTES} or {@link #LONGEST}. Takes no thread.
 *
 * <p>One per connection, placed after the codec. A connection that is closed in the middle of a response is closed at
 * once.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9112#section-9.6">RFC 9112, 9.6: Tear-down</a>
 */
@SuppressWarnings("FutureReturnValueIgnored") // the promise reports the result
final class LingeringClose extends ChannelDuplexHandler {
    /** The limit of dropped bytes; a client that sends more is not worth the traffic. */
    static final int MOST_BYTES = 1024 * 1024;

    static final Duration LONGEST = Duration.ofSeconds(5);

    /** Set until the end of the current request is received. */
    private boolean unread;

    private boolean responded;
    private boolean discarding;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest) {
            responded = false;
        }
        if (message instanceof HttpObject part) {
            // After a decoding failure, Netty drops everything it receives.
            unread = part.decoderResult().isFailure() || !(message instanceof LastHttpContent);
        }
        context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof LastHttpContent) {
            context.write(message, promise.unvoid().addListener(sent -> responded = sent.isSuccess()));
        } else {
            context.write(message, promise);
        }
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        if (discarding) {
            context.channel().closeFuture().addListener(closed -> promise.trySuccess());
        } else if (unread && responded && context.channel() instanceof DuplexChannel channel && channel.isActive()) {
            discarding = true;
            linger(context, channel, promise);
        } else {
            context.close(promise);
        }
    }

    private static void linger(ChannelHandlerContext context, DuplexChannel channel, ChannelPromise promise) {
        channel.closeFuture().addListener(closed -> promise.trySuccess());
        // Before the codec, which must not decode the bytes as a request.
        channel.pipeline().addFirst(new Drop(context));
        channel.shutdownOutput().addListener((ChannelFutureListener) shut -> {
            if (shut.isSuccess()) {
                channel.config().setAutoRead(true);
                context.executor().schedule(() -> context.close(), LONGEST.toNanos(), TimeUnit.NANOSECONDS);
            } else {
                context.close();
            }
        });
    }

    /** Counts and drops received bytes. */
    private static final class Drop extends ChannelInboundHandlerAdapter {
        private final ChannelHandlerContext next;
        private long dropped;

        Drop(ChannelHandlerContext next) {
            this.next = next;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            dropped += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
            ReferenceCountUtil.release(message);
            if (dropped > MOST_BYTES) {
                next.close();
            }
        }
    }
}
