package io.millrace.backend.s3;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import software.amazon.awssdk.http.Protocol;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.ProxyConfiguration;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;

/** The SDK's Netty client, set up so that a reader who stops holds little. */
final class Connections {
    /**
     * Read from a socket at once, and so what one stalled reader holds besides the piece in its hands. Small enough for
     * thousands of readers, large enough that a system call more or less is not seen in the CPU time of a large object.
     */
    static final int READ_SIZE = 32 << 10;

    /** For a free connection, beyond the time it takes to make one. */
    private static final Duration QUEUE_TIME = Duration.ofSeconds(5);

    private Connections() {}

    /** The threads that read and write: native epoll where it is, NIO elsewhere. The caller shuts them down. */
    @SuppressWarnings("deprecation") // The SDK knows event loops by these classes; Netty 4.2's successor it refuses.
    static EventLoopGroup loops(String name) {
        int threads = Runtime.getRuntime().availableProcessors();
        ThreadFactory factory = new DefaultThreadFactory("s3-" + name, true);
        return Epoll.isAvailable()
                ? new EpollEventLoopGroup(threads, factory)
                : new NioEventLoopGroup(threads, factory);
    }

    /** A client on these threads; closing it closes its connections, not the threads. */
    static SdkAsyncHttpClient open(S3BackendSettings settings, EventLoopGroup loops) {
        return NettyNioAsyncHttpClient.builder()
                .eventLoopGroup(SdkEventLoopGroup.create(loops, channels()))
                .protocol(Protocol.HTTP1_1)
                .maxConcurrency(settings.maxConnections())
                .connectionTimeout(settings.connectTimeout())
                .tlsNegotiationTimeout(settings.connectTimeout())
                .connectionAcquisitionTimeout(settings.connectTimeout().plus(QUEUE_TIME))
                // Its read timeout would cut whoever reads slowly; WatchedHttpClient tells that from a silent server.
                .readTimeout(Duration.ZERO)
                .tcpKeepAlive(true)
                .useNonBlockingDnsResolver(true)
                // A proxy in the environment of the process is no word of the operator about this backend.
                .proxyConfiguration(ProxyConfiguration.builder()
                        .useSystemPropertyValues(false)
                        .useEnvironmentVariableValues(false)
                        .build())
                .putChannelOption(
                        ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_SIZE).maxMessagesPerRead(1))
                .build();
    }

    private static ChannelFactory<? extends Channel> channels() {
        return () -> {
            Channel channel = Epoll.isAvailable() ? new EpollSocketChannel() : new NioSocketChannel();
            channel.pipeline().addLast(new PipelineSetup());
            return channel;
        };
    }
}
