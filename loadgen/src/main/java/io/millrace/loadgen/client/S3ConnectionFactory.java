package io.millrace.loadgen.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Creates connections to one or more endpoints of a bucket, in turns, on a fixed number of event loops. Closing it
 * closes all connections.
 */
public final class S3ConnectionFactory implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
    private static final int LONGEST_LINE = 8 << 10;
    private static final int MOST_HEADERS = 64 << 10;
    private static final int LARGEST_PIECE = 256 << 10;

    private final List<BucketAddress> endpoints;
    private final OutgoingRequestSigner authenticator;
    private final @Nullable SslContext tls;
    private final Duration timeout;
    private final EventLoopGroup loops;
    private final AtomicInteger created = new AtomicInteger();

    /**
     * @param tls context for endpoints that speak HTTPS; null if there are none
     * @param timeout limit of the time without any byte sent or received during a request
     * @param threads number of event loops
     */
    public S3ConnectionFactory(
            List<BucketAddress> endpoints,
            OutgoingRequestSigner authenticator,
            @Nullable SslContext tls,
            Duration timeout,
            int threads) {
        this.endpoints = List.copyOf(endpoints);
        this.authenticator = authenticator;
        this.tls = tls;
        this.timeout = timeout;
        this.loops = new MultiThreadIoEventLoopGroup(
                threads, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    /** Returns the endpoints. */
    public List<BucketAddress> endpoints() {
        return endpoints;
    }

    /** Returns a connection, not yet open, to the next endpoint and on the next event loop. */
    public S3Connection create() {
        BucketAddress endpoint = endpoints.get(Math.floorMod(created.getAndIncrement(), endpoints.size()));
        EventLoop loop = loops.next();
        return new S3Connection(bootstrap(endpoint, loop), endpoint, loop);
    }

    private Bootstrap bootstrap(BucketAddress endpoint, EventLoop loop) {
        return new Bootstrap()
                .group(loop)
                .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        fill(channel, endpoint);
                    }
                });
    }

    private void fill(Channel channel, BucketAddress endpoint) {
        if (endpoint.isTls() && tls != null) {
            channel.pipeline().addLast(tls.newHandler(channel.alloc(), endpoint.host(), endpoint.port()));
        }
        channel.pipeline()
                .addLast(new HttpClientCodec(LONGEST_LINE, MOST_HEADERS, LARGEST_PIECE))
                .addLast(new RequestResponseHandler(endpoint, authenticator, timeout));
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
