package io.millrace.gateway.s3.server;

import io.millrace.auth.policy.TrustedProxies;
import io.millrace.gateway.s3.connection.ConnectionLimiter;
import io.millrace.gateway.s3.connection.ConnectionMeters;
import io.millrace.gateway.s3.connection.ConnectionSource;
import io.millrace.gateway.s3.connection.RefusalReason;
import io.millrace.gateway.tls.TlsPipeline;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.NettyPipeline;
import reactor.netty.http.server.HttpRequestDecoderSpec;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.resources.LoopResources;

/**
 * The HTTP server of the data plane: Reactor Netty with one raw handler, without its router, on native epoll. To be
 * started and stopped once, from one thread.
 */
public final class S3Server {
    private static final Logger log = LoggerFactory.getLogger(S3Server.class);

    /** The longest request line: a key of 1,024 bytes, each escaped, and a query with a session token. */
    private static final int MAX_REQUEST_LINE = 16 * 1024;

    private static final int MAX_HEADERS = 16 * 1024;

    /**
     * The size of a read buffer, and so of a request body's pieces. Reactor Netty would cut it into eight, and each
     * piece of an upload costs a thread switch and a write.
     */
    private static final int PIECE = 64 * 1024;

    /** The time of a new connection for its first request during a shutdown: the client may have sent it already. */
    private static final Duration FIRST_REQUEST = Duration.ofSeconds(1);

    /** The pause between two looks of a stop for connections whose request has ended. */
    private static final Duration IDLE_CHECK = Duration.ofMillis(100);

    /** The longest wait for the port itself, and for an event loop that hangs. */
    private static final Duration CLOSED_PORT = Duration.ofSeconds(5);

    private final S3Settings settings;
    private final Supplier<? extends RequestService> service;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final LoopResources loops =
            LoopResources.create("millrace-s3", Runtime.getRuntime().availableProcessors(), true);
    private final @Nullable Supplier<SslContext> tls;
    private final ConnectionMeters meters;
    private final ConnectionLimiter limiter;
    private final TrustedProxies proxies;
    private final List<DisposableServer> servers = new ArrayList<>();
    private volatile boolean draining;

    /**
     * @param service returns the service for the next request
     * @param tls returns the context for new connections; empty for plain HTTP
     */
    public S3Server(
            S3Settings settings,
            Supplier<? extends RequestService> service,
            Optional<? extends Supplier<SslContext>> tls,
            ConnectionMeters meters) {
        this.settings = settings;
        this.service = service;
        this.tls = tls.orElse(null);
        this.meters = meters;
        this.proxies = new TrustedProxies(settings.trustedProxies());
        this.limiter = new ConnectionLimiter(
                settings.maxConnections(),
                settings.maxConnectionsPerAddress(),
                proxies,
                meters,
                RequestIdGenerator::next);
    }

    /**
     * Opens the port, and the one for plain HTTP beside TLS if it is set.
     *
     * @throws reactor.netty.ChannelBindException if the port is in use or not allowed
     */
    public void start() {
        servers.add(bind(settings.port(), tls));
        if (tls != null && settings.plainPort().isPresent()) {
            servers.add(bind(settings.plainPort().get(), null));
        }
    }

    private DisposableServer bind(int port, @Nullable Supplier<SslContext> context) {
        return HttpServer.create()
                .runOn(loops, true)
                .bindAddress(() -> new InetSocketAddress(settings.address(), port))
                .channelGroup(connections)
                .childOption(
                        ChannelOption.SO_SNDBUF, (int) settings.sendBuffer().bytes())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.SO_BACKLOG, 4096)
                .idleTimeout(settings.idleTimeout())
                .httpRequestDecoder(S3Server::limits)
                .doOnChannelInit((observer, channel, address) -> addHandlers(channel, context))
                .handle(this::handle)
                .bindNow();
    }

    private void addHandlers(Channel channel, @Nullable Supplier<SslContext> context) {
        if (!limiter.admit(channel, context != null)) {
            return;
        }
        ConnectionSource.declare(channel, proxies);
        FastPathHandler fast = new FastPathHandler(service, () -> draining, settings.stalledReaderTimeout());
        channel.pipeline()
                .addBefore(NettyPipeline.HttpCodec, "millrace.head", headDeadline(fast))
                .addAfter(NettyPipeline.HttpCodec, "millrace.refused", new MalformedRequestHandler())
                .addAfter(NettyPipeline.HttpCodec, "millrace.linger", new LingeringClose())
                .addAfter(NettyPipeline.HttpCodec, "millrace.continue", ContinueResponseHeaderRemover.INSTANCE)
                .addAfter(NettyPipeline.HttpCodec, "millrace.fast", fast)
                .addAfter(NettyPipeline.HttpCodec, "millrace.first", limiter.firstRequest(fast));
        if (context != null) {
            TlsPipeline.install(
                    channel,
                    context.get(),
                    settings.requestHeadTimeout(),
                    () -> meters.refused(RefusalReason.HANDSHAKE));
        }
    }

    private RequestHeadDeadline headDeadline(FastPathHandler requests) {
        return new RequestHeadDeadline(
                requests, settings.requestHeadTimeout(), () -> meters.refused(RefusalReason.REQUEST_HEAD_TIMEOUT));
    }

    @SuppressWarnings("deprecation") // of the buffer size, which has no replacement
    private static HttpRequestDecoderSpec limits(HttpRequestDecoderSpec decoder) {
        return decoder.maxInitialLineLength(MAX_REQUEST_LINE)
                .maxHeaderSize(MAX_HEADERS)
                .maxChunkSize(PIECE)
                .allowDuplicateContentLengths(false)
                .validateHeaders(true);
    }

    /** Sets how many connections may be open, in all and of one address. Those that are open stay. */
    public void limitConnections(int all, Optional<Integer> perAddress) {
        limiter.limit(all, perAddress);
    }

    /** Returns the event loops that serve clients. */
    public EventLoopGroup eventLoops() {
        return loops.onServer(true);
    }

    /** Returns the port that was opened. */
    public int port() {
        if (servers.isEmpty()) {
            throw new IllegalStateException("not started");
        }
        return servers.get(0).port();
    }

    /** Returns whether the port speaks TLS. */
    public boolean isEncrypted() {
        return tls != null;
    }

    /** Returns the port for plain HTTP beside TLS, if there is one. */
    public OptionalInt plainPort() {
        return servers.size() < 2
                ? OptionalInt.empty()
                : OptionalInt.of(servers.get(1).port());
    }

    /**
     * Serves on for the shutdown delay, then stops accepting connections, waits up to the shutdown timeout for requests
     * in progress and those that new connections may have sent, and closes the rest. From the beginning, responses tell
     * clients to close their connections.
     */
    public void stop() {
        draining = true;
        waitForTheDelay();
        servers.forEach(DisposableServer::dispose);
        awaitClosedPorts();
        ChannelGroupFuture ended = connections.newCloseFuture();
        closeIdle(false);
        long deadline = System.nanoTime()
                + FIRST_REQUEST.plus(settings.shutdownTimeout()).toNanos();
        boolean isOver = ended.awaitUninterruptibly(FIRST_REQUEST.toMillis());
        while (!isOver && System.nanoTime() - deadline < 0) {
            // Again and again: a response that was begun before the stop has not told its client to close.
            closeIdle(true);
            isOver = ended.awaitUninterruptibly(IDLE_CHECK.toMillis());
        }
        if (!isOver) {
            log.warn(
                    "Requests did not finish within s3.shutdown-timeout ({}); closing their connections. Raise"
                            + " s3.shutdown-timeout if they need longer",
                    settings.shutdownTimeout());
            connections.close().awaitUninterruptibly(1_000);
        }
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(5)).block();
    }

    /**
     * Waits until no port accepts connections, and those that were accepted before are known: their loops have done
     * what they had to do.
     */
    private void awaitClosedPorts() {
        for (DisposableServer server : servers) {
            server.onDispose().timeout(CLOSED_PORT, Mono.empty()).block();
        }
        for (EventExecutor loop : eventLoops()) {
            Promise<Void> reached = loop.newPromise();
            loop.execute(() -> reached.setSuccess(null));
            reached.awaitUninterruptibly(CLOSED_PORT.toMillis());
        }
    }

    /**
     * Closes connections without a request in progress, after what they have not sent yet.
     *
     * @param all also those that have not sent a request since they were opened
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the group knows what is closed
    private void closeIdle(boolean all) {
        for (Channel channel : connections) {
            channel.eventLoop().execute(() -> {
                FastPathHandler requests = channel.pipeline().get(FastPathHandler.class);
                if (requests == null) {
                    channel.close();
                } else if (all || requests.heads() != 0) {
                    requests.closeIfIdle(channel);
                }
            });
        }
    }

    /** Sleeps for the shutdown delay; an interrupt ends it. */
    private void waitForTheDelay() {
        try {
            Thread.sleep(settings.shutdownDelay().toMillis());
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    private Publisher<Void> handle(HttpServerRequest request, HttpServerResponse response) {
        Connection[] connection = new Connection[1];
        response.withConnection(c -> connection[0] = c);
        Channel channel = connection[0].channel();
        FastPathHandler fast = channel.pipeline().get(FastPathHandler.class);
        NettyExchange exchange = new NettyExchange(
                request,
                response,
                channel,
                fast == null ? null : fast.takePassedOn(request.requestHeaders()),
                () -> draining,
                settings);
        return service.get().serve(exchange).contextWrite(exchange.bodyReaderContext());
    }
}
