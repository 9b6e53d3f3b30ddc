package io.millrace.gateway.s3.connection;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.ErrorResponses;
import io.millrace.gateway.s3.protocol.S3Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A channel handler of a connection beyond a limit. It responds to the first bytes of a request with SlowDown, and
 * hides the connection from all handlers after it. The connection ends when the client closes it, at the latest after
 * {@link #LONGEST}.
 *
 * <p>One per connection, placed first.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the connection is abandoned
final class RefusedConnectionHandler extends ChannelInboundHandlerAdapter {
    static final Duration LONGEST = Duration.ofSeconds(5);

    /** The limit of dropped bytes; a client that sends more is not worth the traffic. */
    private static final int MAX_DROPPED = 1024 * 1024;

    private final boolean respond;
    private final Supplier<String> requestIds;
    private long dropped;

    /** @param respond whether to respond; otherwise the connection is closed at once */
    RefusedConnectionHandler(boolean respond, Supplier<String> requestIds) {
        this.respond = respond;
        this.requestIds = requestIds;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (!respond) {
            context.close();
            return;
        }
        context.executor().schedule(() -> context.close(), LONGEST.toNanos(), TimeUnit.NANOSECONDS);
        context.channel().config().setAutoRead(true);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        boolean first = dropped == 0;
        dropped += message instanceof ByteBuf bytes ? bytes.readableBytes() : 1;
        ReferenceCountUtil.release(message);
        if (first) {
            // Only its sending side is closed: a reset in reaction to further bytes may destroy the response.
            context.writeAndFlush(response()).addListener((ChannelFutureListener) sent -> closeOutput(context));
        } else if (dropped > MAX_DROPPED) {
            context.close();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {}

    @Override
    public void channelInactive(ChannelHandlerContext context) {}

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
        context.close();
    }

    private static void closeOutput(ChannelHandlerContext context) {
        if (context.channel() instanceof DuplexChannel channel) {
            channel.shutdownOutput();
        } else {
            context.close();
        }
    }

    private ByteBuf response() {
        String id = requestIds.get();
        S3Response error = ErrorResponses.of(
                new S3Exception(
                        S3ErrorCode.SLOW_DOWN, "Too many connections are open. Please close some, or try again later."),
                "/",
                id);
        ByteBuffer body = error.body() instanceof S3Response.Bytes bytes ? bytes.content() : ByteBuffer.allocate(0);
        String head = "HTTP/1.1 503 Service Unavailable\r\n"
                + "content-type: application/xml\r\ncontent-length: %d\r\n".formatted(body.remaining())
                + "connection: close\r\nretry-after: 1\r\nx-amz-request-id: %s\r\n\r\n".formatted(id);
        return Unpooled.wrappedBuffer(Unpooled.copiedBuffer(head, ISO_8859_1), Unpooled.wrappedBuffer(body));
    }
}
