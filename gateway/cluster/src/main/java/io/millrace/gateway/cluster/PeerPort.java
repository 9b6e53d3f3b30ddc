package io.millrace.gateway.cluster;

import io.millrace.auth.Sha256;
import io.millrace.cache.CacheReader;
import io.millrace.gateway.objects.monitor.LogPause;
import io.millrace.gateway.s3.connection.IdleConnectionLimiter;
import io.millrace.gateway.s3.server.ResponseBodyWriter;
import io.millrace.gateway.tls.TlsPipeline;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.netty.ChannelBindException;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpRequestDecoderSpec;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.resources.LoopResources;
import reactor.util.context.Context;

/**
 * The port at which the other members reach this one. A request is authenticated by its head; only then its body is
 * read. To be opened and closed once.
 */
final class PeerPort implements AutoCloseable {
    /** The header of a response that proves whose it is. */
    static final String PROOF = "x-millrace-proof";

    /** The header of a response to a read that says what this member has. */
    static final String OBJECT = "x-millrace-object";

    /** The status of a response that says: later, or never, since this member stops. */
    static final int LATER = 503;

    static final int MOST_CONNECTIONS = 1024;

    /** Of one address, or one IPv6 network. */
    static final int MOST_CONNECTIONS_OF_ONE = 256;

    /** The most messages that are read, or worked on, at a time. */
    static final int MOST_AT_ONCE = 64;

    /** The most reads of other members that are served at a time. */
    static final int MOST_READS = 192;

    /** The most calls of other members that are worked on at a time. */
    static final int MOST_CALLS = 32;

    static final int MOST_REQUEST_LINE = 256;

    /** The fields of a head. */
    static final int MOST_HEADERS = 4 << 10;

    /** The most time that a body may take. */
    static final Duration LONGEST_BODY = Duration.ofSeconds(2);

    private static final Logger log = LoggerFactory.getLogger(PeerPort.class);
    private static final Duration IDLE = Duration.ofMinutes(1);

    /** A member takes what it reads as fast as its own client does, but gives up one that takes nothing. */
    private static final Duration STALLED = Duration.ofMinutes(2);

    private static final int THREADS = 2;

    private final InetSocketAddress listen;
    private final Optional<Supplier<SslContext>> tls;
    private final PeerAuthenticator authenticator;
    private final PeerKey key;
    private final PeerService service;
    private final RelayOrigins origins;
    private final LoopResources loops = LoopResources.create("millrace-peer", THREADS, true);
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final IdleConnectionLimiter limiter =
            new IdleConnectionLimiter("the cluster's port", MOST_CONNECTIONS, MOST_CONNECTIONS_OF_ONE);
    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private final LogPause logPause = new LogPause();
    private @Nullable DisposableServer server;

    /** Null without a cache. */
    private volatile @Nullable HomeReads home;

    /**
     * @param tls returns the context for new connections; empty for plain HTTP
     * @param origins notes which reads others relay
     */
    PeerPort(
            InetSocketAddress listen,
            Optional<Supplier<SslContext>> tls,
            PeerAuthenticator authenticator,
            PeerKey key,
            PeerService service,
            RelayOrigins origins) {
        this.listen = listen;
        this.tls = tls;
        this.authenticator = authenticator;
        this.key = key;
        this.service = service;
        this.origins = origins;
    }

    /** Serves the reads of other members from then on. */
    void serve(HomeReads ofThisMember) {
        home = ofThisMember;
    }

    /** Opens the port. Blocks until it is open. */
    void open() throws IOException {
        if (listen.isUnresolved()) {
            throw new IOException("cluster.listen: this machine knows no address of " + listen.getHostString());
        }
        try {
            server = HttpServer.create()
                    .runOn(loops, true)
                    .bindAddress(() -> listen)
                    .channelGroup(connections)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childOption(ChannelOption.SO_KEEPALIVE, true)
                    .idleTimeout(IDLE)
                    .requestTimeout(LONGEST_BODY)
                    .httpRequestDecoder(PeerPort::limits)
                    .doOnChannelInit((observer, channel, address) -> addHandlers(channel))
                    .handle(this::handle)
                    .bindNow();
        } catch (ChannelBindException e) {
            throw new IOException(
                    "cluster.listen: cannot listen at %s:%d: %s"
                            .formatted(listen.getHostString(), listen.getPort(), e.getMessage()),
                    e);
        }
    }

    private static HttpRequestDecoderSpec limits(HttpRequestDecoderSpec decoder) {
        return decoder.maxInitialLineLength(MOST_REQUEST_LINE)
                .maxHeaderSize(MOST_HEADERS)
                .allowDuplicateContentLengths(false)
                .validateHeaders(true);
    }

    private void addHandlers(Channel channel) {
        if (limiter.admit(channel)) {
            tls.ifPresent(context -> TlsPipeline.install(channel, context.get()));
        }
    }

    /** Returns the port that was opened. */
    int port() {
        if (server == null) {
            throw new IllegalStateException("not open");
        }
        return server.port();
    }

    /** Returns the event loops that serve its connections. */
    EventLoopGroup eventLoops() {
        return loops.onServer(true);
    }

    @Override
    public void close() {
        if (server != null) {
            server.disposeNow();
        }
        connections.close().awaitUninterruptibly(1_000);
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(5)).block();
    }

    private Publisher<Void> handle(HttpServerRequest request, HttpServerResponse response) {
        Optional<PeerPath> path = PeerPath.of(request.uri());
        if (path.isEmpty() || !request.method().equals(HttpMethod.POST)) {
            return last(request, response, new Result(404, "no message has this path"), Optional.empty());
        }
        Optional<PeerCredential.Proven> credential = Optional.ofNullable(
                        request.requestHeaders().get(HttpHeaderNames.AUTHORIZATION))
                .flatMap(PeerCredential::parse);
        if (credential.isEmpty()) {
            return last(request, response, new Result(401, "not signed"), Optional.empty());
        }
        String proof = credential.get().proof();
        try {
            authenticator.require(path.get().text(), credential.get());
        } catch (RefusedMessageException refusal) {
            // To whoever has another key this one can prove nothing.
            boolean isProven = refusal.reason().isOfAMember();
            return last(request, response, Result.of(refusal), isProven ? Optional.of(proof) : Optional.empty());
        }
        long length = contentLength(request);
        int mostBytes = path.get() == PeerPath.CALLS ? PeerCodec.MOST_CALL_BYTES : PeerCodec.MOST_BYTES;
        if (length < 0 || length > mostBytes) {
            RefusedMessageException refusal =
                    RefusedMessageException.malformed("a message has at most " + mostBytes + " bytes");
            return last(request, response, Result.of(refusal), Optional.of(proof));
        }
        boolean isRead = path.get() == PeerPath.OBJECTS;
        AtomicInteger underWay = underWay(path.get());
        if (underWay.incrementAndGet() > most(path.get())) {
            underWay.decrementAndGet();
            return last(request, response, Result.LATER, Optional.of(proof));
        }
        return request.receive()
                .aggregate()
                .asByteArray()
                .defaultIfEmpty(new byte[0])
                .flatMap(body -> isRead
                        ? serveRead(request, response, credential.get(), body)
                        : serve(path.get(), request, response, credential.get(), body))
                .doFinally(end -> underWay.decrementAndGet());
    }

    /** Leases and announcements wait neither for reads nor for calls, which may take seconds. */
    private AtomicInteger underWay(PeerPath path) {
        return switch (path) {
            case OBJECTS -> reads;
            case CALLS -> calls;
            case LEASE, ANNOUNCEMENTS, GOODBYE, REVOCATIONS, ALIVE -> messages;
        };
    }

    private static int most(PeerPath path) {
        return switch (path) {
            case OBJECTS -> MOST_READS;
            case CALLS -> MOST_CALLS;
            case LEASE, ANNOUNCEMENTS, GOODBYE, REVOCATIONS, ALIVE -> MOST_AT_ONCE;
        };
    }

    private Mono<Void> serve(
            PeerPath path,
            HttpServerRequest request,
            HttpServerResponse response,
            PeerCredential.Proven credential,
            byte[] body) {
        Channel channel = channel(response);
        return result(path, credential.credential(), body)
                .doOnNext(result -> log(request, result))
                .flatMap(result ->
                        onLoop(channel, () -> {}, () -> send(response, result, Optional.of(credential.proof()))));
    }

    private Mono<Void> serveRead(
            HttpServerRequest request, HttpServerResponse response, PeerCredential.Proven credential, byte[] body) {
        Channel channel = channel(response);
        Optional<String> proof = Optional.of(credential.proof());
        // What is sent is decided first: a failure of sending must not become a second response.
        return read(credential.credential(), body, channel)
                .contextWrite(context -> readerContext(channel, context))
                .map(read -> onLoop(channel, read.giveUp(), () -> send(response, channel, read, credential.proof())))
                .defaultIfEmpty(onLoop(channel, () -> {}, () -> send(response, Result.LATER, proof)))
                .onErrorResume(failure -> {
                    Result result =
                            failure instanceof RefusedMessageException refusal ? Result.of(refusal) : Result.LATER;
                    log.debug("A read is not served", failure);
                    log(request, result);
                    return Mono.just(onLoop(channel, () -> {}, () -> send(response, result, proof)));
                })
                .flatMap(sending -> sending);
    }

    /** Emits nothing if this member has no cache, or more to say than a header takes. */
    private Mono<HomeReads.Response> read(PeerCredential credential, byte[] body, Channel channel) {
        HomeReads reader = home;
        try {
            requireSigned(body, credential);
            RelayedRead read = RelayCodec.read(body);
            if (channel.remoteAddress() instanceof InetSocketAddress member) {
                origins.note(read, member.getHostString());
            }
            return reader == null ? Mono.empty() : reader.serve(read);
        } catch (RefusedMessageException refusal) {
            return Mono.error(refusal);
        }
    }

    private static Channel channel(HttpServerResponse response) {
        Connection[] connection = new Connection[1];
        response.withConnection(own -> connection[0] = own);
        return connection[0].channel();
    }

    /** As of a client's read: buffers come on the connection's event loop, and file regions cannot pass TLS. */
    private static Context readerContext(Channel channel, Context context) {
        Context read = context.put(CacheReader.EXECUTOR, channel.eventLoop());
        return TlsPipeline.isEncrypted(channel) ? read.put(CacheReader.BUFFERS_ONLY, true) : read;
    }

    /**
     * Sends on the event loop: Reactor Netty loses a request that comes while another thread ends a response.
     *
     * @param giveUp releases what is not sent since the loop is gone
     */
    private static Mono<Void> onLoop(Channel channel, Runnable giveUp, Supplier<Mono<Void>> sending) {
        return Mono.create(sink -> {
            try {
                channel.eventLoop()
                        .execute(() ->
                                sink.onDispose(sending.get().subscribe(nothing -> {}, sink::error, sink::success)));
            } catch (RejectedExecutionException loopIsGone) {
                giveUp.run();
                sink.error(loopIsGone);
            }
        });
    }

    private Mono<Void> send(HttpServerResponse response, Channel channel, HomeReads.Response read, String proof) {
        byte[] object = read.header().getBytes(StandardCharsets.US_ASCII);
        response.status(200)
                .header(HttpHeaderNames.CONTENT_LENGTH, String.valueOf(read.length()))
                .header(OBJECT, read.header())
                .header(PROOF, key.proofOfResponse(proof, 200, object));
        if (read.length() == 0) {
            return response.then();
        }
        AtomicBoolean taken = new AtomicBoolean();
        Mono<Void> write = Mono.defer(() -> taken.compareAndSet(false, true)
                ? write(response, channel, read)
                : Mono.error(new IOException("the member has gone")));
        // What is in memory goes with its head: two packets would cost both members two system calls more.
        Mono<Void> sent = read.whole().isPresent()
                ? write
                : response.sendHeaders().then(write).then();
        return sent.doFinally(end -> {
                    if (taken.compareAndSet(false, true)) {
                        read.giveUp().run();
                    }
                })
                // The connection is closed by now; a second response must not follow the first.
                .onErrorComplete();
    }

    /**
     * Writes the body, whose buffers are released once, whatever becomes of the connection. What is in memory may share
     * its count with a copy that others read: so nothing here releases it after Reactor Netty has taken it. That does
     * so if the connection is closed, and completes before the socket has taken the bytes, so that Netty alone releases
     * what it cannot write.
     */
    private static Mono<Void> write(HttpServerResponse response, Channel channel, HomeReads.Response read) {
        return read.whole()
                .map(whole -> response.sendObject(whole).then())
                .orElseGet(() -> ResponseBodyWriter.write(channel, read.length(), read.body(), STALLED));
    }

    private Mono<Result> result(PeerPath path, PeerCredential credential, byte[] body) {
        try {
            requireSigned(body, credential);
        } catch (RefusedMessageException refusal) {
            return Mono.just(Result.of(refusal));
        }
        return service.serve(path, credential.seconds(), body)
                .map(bytes -> new Result(200, bytes))
                .onErrorResume(RefusedMessageException.class, refusal -> Mono.just(Result.of(refusal)))
                .onErrorResume(failure -> {
                    log.debug("A message must be sent again later", failure);
                    return Mono.just(Result.LATER);
                })
                .defaultIfEmpty(Result.LATER);
    }

    private static void requireSigned(byte[] body, PeerCredential credential) throws RefusedMessageException {
        if (!Sha256.hex(body).equals(credential.bodyHash())) {
            throw RefusedMessageException.malformed("the body is not the one that was signed");
        }
    }

    private static long contentLength(HttpServerRequest request) {
        try {
            return Long.parseLong(request.requestHeaders().get(HttpHeaderNames.CONTENT_LENGTH, "-1"));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Responds without having read the body, and closes the connection. */
    private Mono<Void> last(
            HttpServerRequest request, HttpServerResponse response, Result result, Optional<String> proof) {
        log(request, result);
        return send(response.keepAlive(false), result, proof);
    }

    private Mono<Void> send(HttpServerResponse response, Result result, Optional<String> proof) {
        response.status(result.status()).header(HttpHeaderNames.CONTENT_LENGTH, String.valueOf(result.body().length));
        proof.ifPresent(
                request -> response.header(PROOF, key.proofOfResponse(request, result.status(), result.body())));
        return response.sendByteArray(Mono.just(result.body())).then();
    }

    /** Logs once a minute: strangers reach this port. */
    private void log(HttpServerRequest request, Result result) {
        if (result.status() != 200 && result.status() != LATER && logPause.begin()) {
            log.warn(
                    "A message from {} to the cluster's port is refused: {}. Further ones are not logged for a minute",
                    request.remoteAddress(),
                    new String(result.body(), StandardCharsets.UTF_8));
        }
    }

    /** A response without its proof. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Result(int status, byte[] body) {
        static final Result LATER = new Result(PeerPort.LATER, "later");

        Result(int status, String text) {
            this(status, text.getBytes(StandardCharsets.UTF_8));
        }

        static Result of(RefusedMessageException refusal) {
            PeerRefusal.Reason reason = refusal.reason();
            return new Result(
                    reason.status(),
                    "%s %s".formatted(reason.wireName(), refusal.getMessage()).strip());
        }
    }
}
