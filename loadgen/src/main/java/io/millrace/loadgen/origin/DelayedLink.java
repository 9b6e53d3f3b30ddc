package io.millrace.loadgen.origin;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * TCP proxy that simulates a long-distance link. Bytes arrive after half a round trip, a connection takes one round
 * trip to open, and each direction of a connection has at most one window of bytes in flight, because acknowledgements
 * take half a round trip as well. The total rate is not limited.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failure here closes a channel, which both sides notice
public final class DelayedLink {
    private static final int READ = 128 << 10;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final InetSocketAddress target;
    private final Duration roundTrip;
    private final long window;

    /**
     * @param target accepts the forwarded connections
     * @param roundTrip time of a round trip
     * @param window limit of bytes in flight, per direction of a connection
     */
    public DelayedLink(InetSocketAddress target, Duration roundTrip, long window) {
        this.target = target;
        this.roundTrip = roundTrip;
        this.window = window;
    }

    /** Returns the listening channel; closing it refuses new connections. */
    public Channel listen(InetSocketAddress address) throws InterruptedException {
        return new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 4096)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ))
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel near) {
                        near.eventLoop().schedule(() -> connect(near), roundTrip.toNanos(), TimeUnit.NANOSECONDS);
                    }
                })
                .bind(address)
                .sync()
                .channel();
    }

    private void connect(Channel near) {
        ChannelFuture connected = new Bootstrap()
                .group(near.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ))
                .handler(new Way(near))
                .connect(target);
        connected.addListener(done -> {
            if (done.isSuccess()) {
                near.pipeline().addLast(new Way(connected.channel()));
                near.read();
                connected.channel().read();
            } else {
                near.close();
            }
        });
    }

    /**
     * One direction of a connection: writes the bytes that its channel reads to the other channel. One event loop
     * handles both directions of a connection.
     */
    private final class Way extends ChannelInboundHandlerAdapter {
        private final Channel other;
        private long unacknowledged;
        private boolean paused;

        Way(Channel other) {
            this.other = other;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            int length = bytes.readableBytes();
            unacknowledged += length;
            later(
                    context,
                    roundTrip.dividedBy(2),
                    () -> other.writeAndFlush(bytes).addListener(written -> {
                        if (!written.isSuccess()) {
                            context.close();
                        }
                        later(context, roundTrip.dividedBy(2), () -> acknowledge(context, length));
                    }));
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            paused = unacknowledged >= window;
            if (!paused) {
                context.read();
            }
        }

        private void acknowledge(ChannelHandlerContext context, int length) {
            unacknowledged -= length;
            if (paused && unacknowledged < window) {
                paused = false;
                context.read();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            later(
                    context,
                    roundTrip.dividedBy(2),
                    () -> other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }

        private void later(ChannelHandlerContext context, Duration delay, Runnable task) {
            context.executor().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        }
    }
}
