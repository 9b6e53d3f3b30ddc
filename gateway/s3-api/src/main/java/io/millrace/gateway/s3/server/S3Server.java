package io.millrace.gateway.s3.server;

import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
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
 * The data plane's server: Reactor Netty with one raw handler, no router, on native epoll. Start and stop once each, from
 * one thread.
 */
public final class S3Server {
    private static final Logger log = LoggerFactory.getLogger(S3Server.class);

    /** Longest request line: a key of 1,024 bytes, each escaped, and a query with a session token. */
    private static final int MAX_REQUEST_LINE = 16 * 1024;

    private static final int MAX_HEADERS = 16 * 1024;

    /**
     * A piece of a body: what one read brings, at the most. Reactor Netty would cut it into eight, and each piece of an upload
     * costs a switch of threads and a write.
     */
    private static final int PIECE = 64 * 1024;

    private static final HexFormat REQUEST_ID = HexFormat.of().withUpperCase();

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
     * @throws reactor.netty.ChannelBindException if it cannot be had
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
                        .addAfter(NettyPipeline.HttpCodec, "millrace.continue", ContinueHeaderFilter.INSTANCE))
                .handle(this::handle)
                .bindNow();
    }

    @SuppressWarnings("deprecation") // of the size of pieces, which has no replacement
    private static HttpRequestDecoderSpec limits(HttpRequestDecoderSpec decoder) {
        return decoder.maxInitialLineLength(MAX_REQUEST_LINE)
                .maxHeaderSize(MAX_HEADERS)
                .maxChunkSize(PIECE)
                .allowDuplicateContentLengths(false)
                .validateHeaders(true);
    }

    /** The threads that clients are served on. */
    public EventLoopGroup eventLoops() {
        return loops.onServer(true);
    }

    /** The port that was opened. */
    public int port() {
        DisposableServer running = server;
        if (running == null) {
            throw new IllegalStateException("not started");
        }
        return running.port();
    }

    /**
     * Goes on for the drain delay, then closes the port to newcomers, lets requests under way finish within the drain
     * time, and closes what is left. From the beginning, connections are told not to be used again.
     */
    public void stop() {
        draining = true;
        waitForTheDelay();
        DisposableServer running = server;
        if (running != null) {
            try {
                running.disposeNow(settings.drain());
            } catch (IllegalStateException deadline) {
                log.warn("Requests were still under way after {}; their connections are closed", settings.drain());
                connections.close().awaitUninterruptibly(1_000);
            }
        }
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(5)).block();
    }

    /** An interrupt means haste: whoever stops us waits no longer. */
    private void waitForTheDelay() {
        try {
            Thread.sleep(settings.drainDelay().toMillis());
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    private Publisher<Void> handle(HttpServerRequest request, HttpServerResponse response) {
        Connection[] connection = new Connection[1];
        response.withConnection(c -> connection[0] = c);
        return service.serve(new NettyExchange(
                request, response, connection[0].channel(), newRequestId(), () -> draining, settings));
    }

    /** Sixteen hexadecimal digits, as S3's. They need to differ, not to be secret. */
    private static String newRequestId() {
        return REQUEST_ID.toHexDigits(ThreadLocalRandom.current().nextLong());
    }
}
