package io.millrace.backend.s3;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.URI;
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

/** The connections of one backend: Reactor Netty's client, set up so that a reader who stops holds little. */
final class Connections {
    /**
     * Read from a socket at once, and so what one stalled reader holds besides the piece in its hands. Small enough for
     * thousands of readers, large enough that a system call more or less is not seen in the CPU time of a large object.
     * A piece of a body is what one read brought.
     */
    private static final int READ_SIZE = 32 << 10;

    /** S3 allows 2 KiB of user metadata; servers and proxies add their own fields. */
    private static final int MAX_HEADER_BYTES = 64 << 10;

    /** For a free connection, beyond the time it takes to make one. */
    private static final Duration QUEUE_TIME = Duration.ofSeconds(5);

    /** Requests that wait for a connection: more would only be told later that there is none. */
    private static final int MAX_WAITING = 10_000;

    /** Amazon closes a connection that is idle for some 20 seconds; a request on its way meanwhile would be lost. */
    private static final Duration MAX_IDLE = Duration.ofSeconds(15);

    /** One thread a core for all backends: native epoll where it is, NIO elsewhere. They are daemons and never end. */
    private static final LoopResources LOOPS =
            LoopResources.create("s3-backend", Runtime.getRuntime().availableProcessors(), true);

    private final ConnectionProvider pool;
    private final HttpClient client;

    /** Also those in use, which the pool would wait for. Whoever comes when it is closed is closed. */
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

    /** Opens none yet. */
    Connections(String name, S3BackendSettings settings) {
        pool = ConnectionProvider.builder("s3-" + name)
                .maxConnections(settings.maxConnections())
                .pendingAcquireTimeout(settings.connectTimeout().plus(QUEUE_TIME))
                .pendingAcquireMaxCount(MAX_WAITING)
                .lifo()
                .maxIdleTime(MAX_IDLE)
                .evictInBackground(MAX_IDLE)
                .build();
        client = secured(plain(settings), settings);
    }

    HttpClient client() {
        return client;
    }

    /** The threads that answers come on; nothing may block them. */
    static EventLoopGroup loops() {
        return LOOPS.onClient(LoopResources.DEFAULT_NATIVE);
    }

    /** Closes all, those in use too. */
    Mono<Void> close() {
        return pool.disposeLater().then(Mono.create(sink -> {
            open.forEach(channel -> AnswerBody.giveUp(channel, new IOException("the backend is closed")));
            open.close().addListener(closed -> sink.success());
        }));
    }

    private HttpClient plain(S3BackendSettings settings) {
        return HttpClient.create(pool)
                .runOn(LOOPS, LoopResources.DEFAULT_NATIVE)
                .resolver(names -> names.runOn(LOOPS, LoopResources.DEFAULT_NATIVE))
                .protocol(HttpProtocol.HTTP11)
                // A proxy in the environment of the process is no word of the operator about this backend.
                .noProxy()
                // What is tried again, and where, is decided above.
                .disableRetry(true)
                .followRedirect(false)
                .compress(false)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        settings.connectTimeout().toMillis())
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_SIZE).maxMessagesPerRead(1))
                .httpResponseDecoder(Connections::sizes)
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
                .addAfter(NettyPipeline.HttpCodec, "answers", new AnswerGuard())
                .addAfter(NettyPipeline.HttpCodec, "cut-off", new CutOff());
    }

    private static HttpClient secured(HttpClient plain, S3BackendSettings settings) {
        boolean secure =
                settings.endpoint().map(URI::getScheme).map("https"::equals).orElse(true);
        return secure
                ? plain.secure(tls -> tls.sslContext(
                                (GenericSslContextSpec<SslContextBuilder>) Http11SslContextSpec.forClient())
                        .handshakeTimeout(settings.connectTimeout()))
                : plain;
    }
}
