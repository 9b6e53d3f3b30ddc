package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
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

    /**
     * After which a connection is closed at its next return, so that under steady load a changed DNS entry, and servers
     * that a load balancer has added, are used within minutes.
     */
    private static final Duration MAX_LIFE = Duration.ofMinutes(5);

    /** The part of it that is random, so that connections made together are not replaced together. */
    private static final double MAX_LIFE_VARIANCE = 0.2;

    /** One daemon thread per core for all pools: epoll if available, NIO otherwise. They never end. */
    private static final LoopResources LOOPS =
            LoopResources.create("http-client", Runtime.getRuntime().availableProcessors(), true);

    private final ConnectionProvider pool;
    private final HttpClient direct;
    private final HttpClient client;
    private final HttpPoolSettings settings;
    private final AddressResolverGroup<InetSocketAddress> proxyNames = nameResolver();
    private final Optional<ProxyTunnel> tunnel;

    /**
     * All channels, also those in use, which the pool would wait for. Closes channels that are added after it was
     * closed.
     */
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

    private volatile boolean closed;

    /** Creates the pool without opening a connection. */
    public HttpConnectionPool(HttpPoolSettings settings) {
        this(settings, MAX_LIFE);
    }

    HttpConnectionPool(HttpPoolSettings settings, Duration maxLife) {
        pool = ConnectionProvider.builder(settings.name())
                .maxConnections(settings.maxConnections())
                .pendingAcquireTimeout(settings.queueTime())
                .pendingAcquireMaxCount(MAX_PENDING)
                .lifo()
                .maxIdleTime(MAX_IDLE)
                .maxLifeTime(maxLife)
                .maxLifeTimeVariance(MAX_LIFE_VARIANCE)
                .evictInBackground(MAX_IDLE)
                .build();
        this.settings = settings;
        tunnel =
                settings.outbound().proxy().map(proxy -> new ProxyTunnel(proxy, proxyNames, settings.connectTimeout()));
        direct = client(settings);
        client = tunnel.map(this::tunneled).orElse(direct);
    }

    /** Returns the client for connections without TLS. */
    public HttpClient client() {
        return client;
    }

    /**
     * Returns the client of a server.
     *
     * @param tls whether its connections have the TLS of the settings
     * @throws IllegalArgumentException if a file of the settings cannot be used; the message says what to do
     */
    public HttpClient client(boolean tls) {
        return tls ? secured(client) : client;
    }

    /** Returns the client for connections without TLS and without a proxy, to services of the machine itself. */
    public HttpClient direct() {
        return direct;
    }

    /** Returns the proxy that connections of {@link #client} go through, if there is one. */
    Optional<ProxyTunnel> tunnel() {
        return tunnel;
    }

    /**
     * Returns a client like this one of the pool, for connections with the TLS of the settings.
     *
     * @throws IllegalArgumentException if a file of the settings cannot be used; the message says what to do
     */
    public HttpClient secured(HttpClient plain) {
        return secured(plain, OutboundTls.client(settings.outbound().tls()));
    }

    /** Returns a client like this one of the pool, for connections with this TLS. */
    public HttpClient secured(HttpClient plain, Http11SslContextSpec tls) {
        return plain.secure(spec -> spec.sslContext((GenericSslContextSpec<SslContextBuilder>) tls)
                .handshakeTimeout(settings.connectTimeout()));
    }

    /** Returns a name resolver on the event loops; the caller closes it. */
    public static AddressResolverGroup<InetSocketAddress> nameResolver() {
        return NameResolverProvider.builder().build().newNameResolverGroup(LOOPS, LoopResources.DEFAULT_NATIVE);
    }

    /** Returns the event loops that deliver responses; nothing may block them. */
    static EventLoopGroup loops() {
        return LOOPS.onClient(LoopResources.DEFAULT_NATIVE);
    }

    /** Returns the same loops, of which none starts before the first connection, to be looked at only. */
    public static Iterable<EventExecutor> allLoops() {
        return LOOPS.onServer(LoopResources.DEFAULT_NATIVE);
    }

    /** Returns a request that fails, before it asks for credentials, if the pool is closed. */
    public <T> Mono<T> whileOpen(Mono<T> request) {
        return Mono.defer(() -> {
            requireOpen();
            return request;
        });
    }

    /**
     * Requires that the pool is not closed.
     *
     * @throws BackendException of kind UNAVAILABLE if it is
     */
    public void requireOpen() {
        if (closed) {
            throw new BackendException(FailureKind.UNAVAILABLE, "the backend is closed");
        }
    }

    /** Closes all connections, also those in use. */
    public Mono<Void> close() {
        return Mono.fromRunnable(() -> closed = true)
                .then(pool.disposeLater())
                .then(Mono.<Void>create(sink -> {
                    open.forEach(channel ->
                            ResponseBody.abort(channel, new IOException("the connections were closed on this side")));
                    open.close().addListener(closed -> sink.success());
                }))
                .doFinally(end -> proxyNames.close());
    }

    private HttpClient tunneled(ProxyTunnel through) {
        return direct.resolver(new TunnelAwareResolver(proxyNames, through))
                .doOnChannelInit((observer, channel, server) -> through.install(channel, server));
    }

    private HttpClient client(HttpPoolSettings settings) {
        HttpClient sized = HttpClient.create(pool)
                .runOn(LOOPS, LoopResources.DEFAULT_NATIVE)
                .resolver(names -> names.runOn(LOOPS, LoopResources.DEFAULT_NATIVE))
                .protocol(HttpProtocol.HTTP11)
                // A proxy in the environment of the process is not a setting of ours; a tunnel is added below.
                .noProxy()
                // Retries and redirects are decided above.
                .disableRetry(true)
                .followRedirect(false)
                .compress(false)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        settings.connectTimeout().toMillis())
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .doOnChannelInit((observer, channel, address) -> guard(channel))
                .channelGroup(open);
        return reading(sized, READ_SIZE);
    }

    /**
     * Returns a client like this one of a pool that reads up to so many bytes of a socket at once: more for few
     * connections with large bodies.
     */
    public static HttpClient reading(HttpClient client, int bytes) {
        return client.option(
                        ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(bytes).maxMessagesPerRead(1))
                .httpResponseDecoder(decoder -> sizes(decoder, bytes));
    }

    @SuppressWarnings(
            "deprecation") // Without a replacement; the default cuts what one read brought into pieces of 8 KiB.
    private static HttpResponseDecoderSpec sizes(HttpResponseDecoderSpec decoder, int readBytes) {
        return decoder.maxHeaderSize(MAX_HEADER_BYTES).maxChunkSize(readBytes);
    }

    private static void guard(Channel channel) {
        channel.pipeline()
                .addAfter(NettyPipeline.HttpCodec, "answers", new UnsolicitedResponseGuard())
                .addAfter(NettyPipeline.HttpCodec, "cut-off", new AbortiveCloseHandler());
    }
}
