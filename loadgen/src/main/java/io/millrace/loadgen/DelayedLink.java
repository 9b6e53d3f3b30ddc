package io.millrace.loadgen;

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
 * A line between two places far apart: what goes in comes out half a round trip later, a connection takes a round trip to be
 * made, and no more than a window of bytes is on the way in a direction, since an acknowledgement needs the way back. The rate
 * of all connections together is not bounded.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails here closes a channel, and closing is heard of
final class DelayedLink {
    private static final int READ = 128 << 10;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final InetSocketAddress target;
    private final Duration roundTrip;
    private final long window;

    DelayedLink(InetSocketAddress target, Duration roundTrip, long window) {
        this.target = target;
        this.roundTrip = roundTrip;
        this.window = window;
    }

    /** The listening channel; closing it ends the line for new connections. */
    Channel listen(InetSocketAddress address) throws InterruptedException {
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

    /** One direction: what its channel reads goes to the other one. All of a connection happens on one event loop. */
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
