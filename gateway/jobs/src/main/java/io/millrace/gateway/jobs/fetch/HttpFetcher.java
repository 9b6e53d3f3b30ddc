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
 * An HTTP client for URLs of the web. It checks each URL, including redirects, against the allowed patterns, and each
 * address against {@link AddressPolicy} at connect. It never sends credentials. Thread-safe.
 */
public final class HttpFetcher {
    private static final int MOST_REDIRECTS = 5;
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    /** Bytes of one read from a socket, and about what a stopped reader holds. */
    private static final int READ_SIZE = 32 << 10;

    private static final int MAX_HEADER_BYTES = 64 << 10;

    /** Connections to one server; the workers of jobs bound the requests. */
    private static final int MOST_CONNECTIONS = 512;

    /** The longest wait for a connection when jobs send more parts than there are connections. */
    private static final Duration QUEUE_TIME = Duration.ofMinutes(5);

    private static final Duration MAX_IDLE = Duration.ofSeconds(15);

    private static final LoopResources LOOPS =
            LoopResources.create("fetch", Runtime.getRuntime().availableProcessors(), true);

    /**
     * Silences failures after a cancel: closing the connection fails the request once more, which Reactor would log as
     * an error.
     */
    private static final ContextView NOBODY_LISTENS =
            Context.of("reactor.onErrorDropped.local", (Consumer<Throwable>) afterCancel -> {});

    private final FetchSettings settings;
    private final AddressPolicy addresses;
    private final ConnectionProvider pool;
    private final CheckedAddressResolver resolver;
    private final HttpClient plain;
    private final HttpClient secure;

    /** Creates a client; opens no connection yet. */
    public HttpFetcher(FetchSettings settings) {
        this(
                settings,
                NameResolverProvider.builder().build().newNameResolverGroup(LOOPS, LoopResources.DEFAULT_NATIVE),
                Http11SslContextSpec.forClient());
    }

    /**
     * Creates a client.
     *
     * @param names does the lookups; closed with this client
     */
    HttpFetcher(FetchSettings settings, AddressResolverGroup<InetSocketAddress> names, Http11SslContextSpec tls) {
        this.settings = settings;
        this.addresses = new AddressPolicy(settings.allowedPrivateAddresses());
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

    /** Returns true if any URL is allowed. */
    public boolean isOpen() {
        return !settings.allowedUrls().isEmpty();
    }

    /** Returns true if the settings allow this URL; does not check its address. */
    public boolean allows(WebUrl url) {
        return settings.allowedUrls().stream().anyMatch(allowed -> allowed.contain(url));
    }

    /**
     * Fetches a URL and follows redirects.
     *
     * @param headers of the request, also after redirects
     * @param use consumes the response, whatever its status; the connection stays open until its result ends
     */
    public <T> Mono<T> get(WebUrl url, HeaderList headers, Function<DownloadResponse, Mono<T>> use) {
        return ask(url, headers, use, 0).singleOrEmpty();
    }

    /** Fetches a URL like {@link #get}, with a use that emits several results. */
    public <T> Flux<T> stream(WebUrl url, HeaderList headers, Function<DownloadResponse, Flux<T>> use) {
        return ask(url, headers, use, 0);
    }

    /** Closes the client; requests under way fail. */
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
                            response -> redirect(response, redirects)
                                    .<Publisher<T>>map(next -> Mono.error(new Redirection(next)))
                                    .orElseGet(() -> use.apply(response)))
                    .onErrorResume(Redirection.class, redirected -> ask(redirected.next, headers, use, redirects + 1));
        });
    }

    /** Signals a redirect. */
    private static final class Redirection extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient WebUrl next;

        Redirection(WebUrl next) {
            super(null, null, false, false);
            this.next = next;
        }
    }

    /** Wraps a failure of the response's use, to tell it from failures of the connection. */
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
            throw FetchException.lasting("%s%s is not allowed by downloads.allowed-urls in the operator's file"
                    .formatted(redirects > 0 ? "it redirects, and " : "", url.withoutQuery()));
        }
    }

    private static Optional<WebUrl> redirect(DownloadResponse response, int redirects) {
        Optional<String> location = response.headers().first("location");
        if (!REDIRECTS.contains(response.status()) || location.isEmpty()) {
            return Optional.empty();
        }
        if (redirects == MOST_REDIRECTS) {
            throw FetchException.lasting("it redirects more than %d times".formatted(MOST_REDIRECTS));
        }
        return Optional.of(target(response.asked(), location.get()));
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
                .response((response, content) -> Flux.defer(() -> use.apply(answer(url, response, content.retain())))
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

    private static DownloadResponse answer(WebUrl url, HttpClientResponse response, Flux<ByteBuf> content) {
        List<HeaderList.HeaderField> fields = new ArrayList<>();
        for (Map.Entry<String, String> field : response.responseHeaders()) {
            fields.add(new HeaderList.HeaderField(field.getKey(), field.getValue()));
        }
        boolean isChunked = isChunked(response.responseHeaders());
        String length = isChunked ? null : response.responseHeaders().get(HttpHeaderNames.CONTENT_LENGTH);
        return new DownloadResponse(
                url,
                response.status().code(),
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
        throw FetchException.lasting("its server uses an unsupported Transfer-Encoding");
    }

    private HttpClient client() {
        return HttpClient.create(pool)
                .runOn(LOOPS, LoopResources.DEFAULT_NATIVE)
                .resolver(resolver)
                .protocol(HttpProtocol.HTTP11)
                // A proxy would resolve names without the address policy.
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
