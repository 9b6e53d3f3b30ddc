package io.millrace.backend.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.netty.NettyPipeline;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpResponseDecoderSpec;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.SslProvider.GenericSslContextSpec;
import reactor.netty.transport.NameResolverProvider;

/** A pool of HTTP client connections over Reactor Netty, configured so that a stalled reader holds little memory. */
public final class HttpConnectionPool {
    /**
     * The bytes of one socket read and of one buffer of a body; a stalled reader holds that much more. Small enough for
     * thousands of readers, large enough that system calls do not dominate the CPU time of a large object.
     */
    private static final int READ_SIZE = 32 << 10;

    /** S3 allows 2 KiB of user metadata; servers and proxies add their own fields. */
    private static final int MAX_HEADER_BYTES = 64 << 10;

    /** The most requests that wait for a connection; further ones fail at once. */
    private static final int MAX_PENDING = 10_000;

    /** Shorter than Amazon's idle timeout of some 20 seconds, at which a request in flight would be lost. */
    private static final Duration MAX_IDLE = Duration.ofSeconds(15);

    /** One daemon thread per core for all pools: epoll if available, NIO otherwise. They never end. */
    private static final LoopResources LOOPS =
            LoopResources.create("http-client", Runtime.getRuntime().availableProcessors(), true);

    private final ConnectionProvider pool;
    private final HttpClient client;
    private final Duration handshakeTimeout;

    /** All channels, also those in use, which the pool would wait for. Closes channels that are added after it was closed. */
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

    /** Creates the pool without opening a connection. */
    public HttpConnectionPool(HttpPoolSettings settings) {
        pool = ConnectionProvider.builder(settings.name())
                .maxConnections(settings.maxConnections())
                .pendingAcquireTimeout(settings.queueTime())
                .pendingAcquireMaxCount(MAX_PENDING)
                .lifo()
                .maxIdleTime(MAX_IDLE)
                .evictInBackground(MAX_IDLE)
                .build();
        handshakeTimeout = settings.connectTimeout();
        client = client(settings);
    }

    /** Returns the client for connections without TLS. */
    public HttpClient client() {
        return client;
    }

    /** Returns a client like this one of the pool, for connections with TLS. */
    public HttpClient secured(HttpClient plain, Http11SslContextSpec tls) {
        return plain.secure(spec ->
                spec.sslContext((GenericSslContextSpec<SslContextBuilder>) tls).handshakeTimeout(handshakeTimeout));
    }

    /** Returns a name resolver on the event loops; the caller closes it. */
    public static AddressResolverGroup<InetSocketAddress> nameResolver() {
        return NameResolverProvider.builder().build().newNameResolverGroup(LOOPS, LoopResources.DEFAULT_NATIVE);
    }

    /** Returns the event loops that deliver responses; nothing may block them. */
    static EventLoopGroup loops() {
        return LOOPS.onClient(LoopResources.DEFAULT_NATIVE);
    }

    /** Closes all connections, also those in use. */
    public Mono<Void> close() {
        return pool.disposeLater().then(Mono.create(sink -> {
            open.forEach(channel ->
                    ResponseBody.abort(channel, new IOException("the connections were closed on this side")));
            open.close().addListener(closed -> sink.success());
        }));
    }

    private HttpClient client(HttpPoolSettings settings) {
        return HttpClient.create(pool)
                .runOn(LOOPS, LoopResources.DEFAULT_NATIVE)
                .resolver(names -> names.runOn(LOOPS, LoopResources.DEFAULT_NATIVE))
                .protocol(HttpProtocol.HTTP11)
                // A proxy in the environment of the process is not a setting of ours, and would resolve names without
                // any check.
                .noProxy()
                // Retries and redirects are decided above.
                .disableRetry(true)
                .followRedirect(false)
                .compress(false)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        settings.connectTimeout().toMillis())
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_SIZE).maxMessagesPerRead(1))
                .httpResponseDecoder(HttpConnectionPool::sizes)
                .doOnChannelInit((observer, channel, address) -> guard(channel))
                .channelGroup(open);
    }

    @SuppressWarnings(
            "deprecation") // Without a replacement; the default cuts what one read brought into pieces of 8 KiB.
    private static HttpResponseDecoderSpec sizes(HttpResponseDecoderSpec decoder) {
        return decoder.maxHeaderSize(MAX_HEADER_BYTES).maxChunkSize(READ_SIZE);
    }

    private static void guard(Channel channel) {
        channel.pipeline()
                .addAfter(NettyPipeline.HttpCodec, "answers", new UnsolicitedResponseGuard())
                .addAfter(NettyPipeline.HttpCodec, "cut-off", new AbortiveCloseHandler());
    }
}
