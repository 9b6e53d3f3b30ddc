package io.millrace.gateway.jobs.fetch;

import io.millrace.backend.spi.object.HeaderList;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.resolver.AddressResolverGroup;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.NettyPipeline;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.http.client.HttpResponseDecoderSpec;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.SslProvider.GenericSslContextSpec;
import reactor.netty.transport.NameResolverProvider;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Asks servers of the web for what URLs name. Each URL, also one that an answer redirects to, is held against what the operator
 * allows, and each address against {@link AddressPolicy} when it is connected to. Nothing that would prove who asks is ever sent. Safe for
 * use by any number of threads.
 */
public final class HttpFetcher {
    private static final int MOST_REDIRECTS = 5;
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    /** Read from a socket at once, and so about what a reader holds who stops. */
    private static final int READ_SIZE = 32 << 10;

    private static final int MAX_HEADER_BYTES = 64 << 10;

    /** To one server; jobs bound by their workers what is under way. */
    private static final int MOST_CONNECTIONS = 512;

    /** Longer than a free connection is waited for where a job has more parts under way than there are connections. */
    private static final Duration QUEUE_TIME = Duration.ofMinutes(5);

    private static final Duration MAX_IDLE = Duration.ofSeconds(15);

    private static final LoopResources LOOPS =
            LoopResources.create("fetch", Runtime.getRuntime().availableProcessors(), true);

    /** A request that is cancelled fails once more when its connection closes: Reactor would log that as an error. */
    private static final ContextView NOBODY_LISTENS =
            Context.of("reactor.onErrorDropped.local", (Consumer<Throwable>) afterCancel -> {});

    private final FetchSettings settings;
    private final AddressPolicy addresses;
    private final ConnectionProvider pool;
    private final CheckedAddressResolver resolver;
    private final HttpClient plain;
    private final HttpClient secure;

    /** Opens no connection yet. */
    public HttpFetcher(FetchSettings settings) {
        this(
                settings,
                NameResolverProvider.builder().build().newNameResolverGroup(LOOPS, LoopResources.DEFAULT_NATIVE),
                Http11SslContextSpec.forClient());
    }

    /** @param names which is closed with this */
    HttpFetcher(FetchSettings settings, AddressResolverGroup<InetSocketAddress> names, Http11SslContextSpec tls) {
        this.settings = settings;
        this.addresses = new AddressPolicy(settings.privateAddresses());
        this.resolver = new CheckedAddressResolver(names, addresses);
        this.pool = ConnectionProvider.builder("fetch")
                .maxConnections(MOST_CONNECTIONS)
                .pendingAcquireTimeout(QUEUE_TIME)
                .lifo()
                .maxIdleTime(MAX_IDLE)
                .evictInBackground(MAX_IDLE)
                .build();
        this.plain = client();
        this.secure = plain.secure(spec -> spec.sslContext((GenericSslContextSpec<SslContextBuilder>) tls)
                .handshakeTimeout(settings.connectTimeout()));
    }

    /** Whether anything may be fetched at all. */
    public boolean isOpen() {
        return !settings.allow().isEmpty();
    }

    /** Whether the operator's file allows this URL; its address is not looked at. */
    public boolean allows(WebUrl url) {
        return settings.allow().stream().anyMatch(allowed -> allowed.contain(url));
    }

    /**
     * Asks for what a URL names, and for what it is redirected to.
     *
     * @param headers sent along, also to where it is redirected
     * @param use makes something of the answer, whatever its status; its connection is kept until that has ended
     */
    public <T> Mono<T> get(WebUrl url, HeaderList headers, Function<DownloadResponse, Mono<T>> use) {
        return ask(url, headers, use, 0).singleOrEmpty();
    }

    /** The same for what makes several things of an answer. */
    public <T> Flux<T> stream(WebUrl url, HeaderList headers, Function<DownloadResponse, Flux<T>> use) {
        return ask(url, headers, use, 0);
    }

    /** Gives connections up; what is under way fails. */
    public Mono<Void> close() {
        return pool.disposeLater().doFinally(end -> resolver.close());
    }

    private <T> Flux<T> ask(
            WebUrl url, HeaderList headers, Function<DownloadResponse, ? extends Publisher<T>> use, int redirects) {
        return Flux.defer(() -> {
            requireAllowed(url, redirects);
            return send(
                            url,
                            headers,
                            answer -> redirect(answer, redirects)
                                    .<Publisher<T>>map(next -> Mono.error(new Redirection(next)))
                                    .orElseGet(() -> use.apply(answer)))
                    .onErrorResume(Redirection.class, redirected -> ask(redirected.next, headers, use, redirects + 1));
        });
    }

    /** An answer leads elsewhere. */
    private static final class Redirection extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient WebUrl next;

        Redirection(WebUrl next) {
            super(null, null, false, false);
            this.next = next;
        }
    }

    /** A failure that is none of the connection. */
    private static final class OfTheUse extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OfTheUse(Throwable cause) {
            super(null, cause, false, false);
        }

        static Throwable unwrapped(WebUrl url, Throwable failure) {
            return failure instanceof OfTheUse && failure.getCause() != null
                    ? failure.getCause()
                    : UnreachableReason.explained(url, failure);
        }
    }

    private void requireAllowed(WebUrl url, int redirects) {
        if (!allows(url)) {
            throw FetchException.lasting("%s%s is not below what downloads.allow of the operator's file names"
                    .formatted(redirects > 0 ? "it redirects, and " : "", url.withoutQuery()));
        }
    }

    private static Optional<WebUrl> redirect(DownloadResponse answer, int redirects) {
        Optional<String> location = answer.headers().first("location");
        if (!REDIRECTS.contains(answer.status()) || location.isEmpty()) {
            return Optional.empty();
        }
        if (redirects == MOST_REDIRECTS) {
            throw FetchException.lasting("it redirects more than %d times".formatted(MOST_REDIRECTS));
        }
        return Optional.of(target(answer.asked(), location.get()));
    }

    private static WebUrl target(WebUrl asked, String location) {
        WebUrl next;
        try {
            next = asked.resolve(location);
        } catch (IllegalArgumentException e) {
            throw FetchException.lasting("it redirects to what " + e.getMessage());
        }
        if (asked.isSecure() && !next.isSecure()) {
            throw FetchException.lasting("it redirects from https to http");
        }
        return next;
    }

    private <T> Flux<T> send(WebUrl url, HeaderList headers, Function<DownloadResponse, Publisher<T>> use) {
        return (url.isSecure() ? secure : plain)
                .remoteAddress(url::address)
                .request(HttpMethod.GET)
                .uri(url.target())
                .send((request, out) -> {
                    fields(url, headers, request.requestHeaders());
                    return out;
                })
                .response((answer, content) -> Flux.defer(() -> use.apply(answer(url, answer, content.retain())))
                        .onErrorMap(OfTheUse::new))
                .onErrorMap(failure -> OfTheUse.unwrapped(url, failure))
                .contextWrite(NOBODY_LISTENS);
    }

    private static void fields(WebUrl url, HeaderList headers, HttpHeaders fields) {
        fields.set(HttpHeaderNames.HOST, url.authority());
        fields.set(HttpHeaderNames.USER_AGENT, "millrace");
        fields.set(HttpHeaderNames.ACCEPT_ENCODING, HttpHeaderValues.IDENTITY);
        headers.fields().forEach(field -> fields.set(field.name(), field.value()));
    }

    private static DownloadResponse answer(WebUrl url, HttpClientResponse answer, Flux<ByteBuf> content) {
        List<HeaderList.HeaderField> fields = new ArrayList<>();
        for (Map.Entry<String, String> field : answer.responseHeaders()) {
            fields.add(new HeaderList.HeaderField(field.getKey(), field.getValue()));
        }
        boolean isChunked = isChunked(answer.responseHeaders());
        String length = isChunked ? null : answer.responseHeaders().get(HttpHeaderNames.CONTENT_LENGTH);
        return new DownloadResponse(
                url,
                answer.status().code(),
                new HeaderList(fields),
                length == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(length)),
                isChunked || length != null,
                content.onErrorMap(failure -> UnreachableReason.explained(url, failure)));
    }

    private static boolean isChunked(HttpHeaders fields) {
        List<String> codings = fields.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (codings.isEmpty() || (codings.size() == 1 && codings.get(0).strip().equalsIgnoreCase("chunked"))) {
            return !codings.isEmpty();
        }
        throw FetchException.lasting("its bytes come in a Transfer-Encoding that nobody asked for");
    }

    private HttpClient client() {
        return HttpClient.create(pool)
                .runOn(LOOPS, LoopResources.DEFAULT_NATIVE)
                .resolver(resolver)
                .protocol(HttpProtocol.HTTP11)
                // A proxy would look names up where nobody checks what they are.
                .noProxy()
                .disableRetry(true)
                .followRedirect(false)
                .compress(false)
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        Math.toIntExact(settings.connectTimeout().toMillis()))
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_SIZE).maxMessagesPerRead(1))
                .httpResponseDecoder(HttpFetcher::sizes)
                .doOnChannelInit((observer, channel, address) -> guard(channel));
    }

    @SuppressWarnings(
            "deprecation") // Without a replacement; the default cuts what one read brought into pieces of 8 KiB.
    private static HttpResponseDecoderSpec sizes(HttpResponseDecoderSpec decoder) {
        return decoder.maxHeaderSize(MAX_HEADER_BYTES).maxChunkSize(READ_SIZE);
    }

    private void guard(Channel channel) {
        channel.pipeline()
                .addAfter(
                        NettyPipeline.HttpCodec,
                        "guard",
                        new HttpExchangeGuard(addresses, settings.firstByteTimeout(), settings.idleTimeout()));
    }
}
