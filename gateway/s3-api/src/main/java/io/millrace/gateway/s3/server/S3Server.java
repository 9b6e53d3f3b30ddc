package io.millrace.gateway.s3.server;

import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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

    private final S3Settings settings;
    private final S3RequestService service;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final LoopResources loops =
            LoopResources.create("millrace-s3", Runtime.getRuntime().availableProcessors(), true);
    private @Nullable DisposableServer server;
    private volatile boolean draining;

    public S3Server(S3Settings settings, S3RequestService service) {
        this.settings = settings;
        this.service = service;
    }

    /**
     * Opens the port.
     *
     * @throws reactor.netty.ChannelBindException if the port is in use or not allowed
     */
    public void start() {
        server = HttpServer.create()
                .runOn(loops, true)
                .bindAddress(() -> new InetSocketAddress(settings.address(), settings.port()))
                .channelGroup(connections)
                .childOption(
                        ChannelOption.SO_SNDBUF, (int) settings.sendBuffer().bytes())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.SO_BACKLOG, 4096)
                .idleTimeout(settings.idleTimeout())
                .httpRequestDecoder(S3Server::limits)
                .doOnChannelInit((observer, channel, address) -> channel.pipeline()
                        .addAfter(NettyPipeline.HttpCodec, "millrace.refused", new MalformedRequestHandler())
                        .addAfter(NettyPipeline.HttpCodec, "millrace.linger", new LingeringClose())
                        .addAfter(NettyPipeline.HttpCodec, "millrace.continue", ContinueResponseHeaderRemover.INSTANCE)
                        .addAfter(
                                NettyPipeline.HttpCodec, "millrace.fast", new FastPathHandler(service, () -> draining)))
                .handle(this::handle)
                .bindNow();
    }

    @SuppressWarnings("deprecation") // of the buffer size, which has no replacement
    private static HttpRequestDecoderSpec limits(HttpRequestDecoderSpec decoder) {
        return decoder.maxInitialLineLength(MAX_REQUEST_LINE)
                .maxHeaderSize(MAX_HEADERS)
                .maxChunkSize(PIECE)
                .allowDuplicateContentLengths(false)
                .validateHeaders(true);
    }

    /** Returns the event loops that serve clients. */
    public EventLoopGroup eventLoops() {
        return loops.onServer(true);
    }

    /** Returns the port that was opened. */
    public int port() {
        DisposableServer running = server;
        if (running == null) {
            throw new IllegalStateException("not started");
        }
        return running.port();
    }

    /**
     * Serves on for the shutdown delay, then stops accepting connections, waits up to the shutdown timeout for requests in
     * progress, and closes the rest. From the beginning, responses tell clients to close their connections.
     */
    public void stop() {
        draining = true;
        waitForTheDelay();
        DisposableServer running = server;
        if (running != null) {
            try {
                running.disposeNow(settings.shutdownTimeout());
            } catch (IllegalStateException deadline) {
                log.warn(
                        "Requests did not finish within s3.shutdown-timeout ({}); closing their connections. Raise s3.shutdown-timeout if"
                                + " they need longer",
                        settings.shutdownTimeout());
                connections.close().awaitUninterruptibly(1_000);
            }
        }
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(5)).block();
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
        return service.serve(new NettyExchange(
                request, response, connection[0].channel(), RequestIds.next(), () -> draining, settings));
    }
}
