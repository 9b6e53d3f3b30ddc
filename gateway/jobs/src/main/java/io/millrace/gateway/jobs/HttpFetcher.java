package io.millrace.gateway.jobs;

import io.millrace.backend.http.AddressPolicy;
import io.millrace.backend.http.CheckedConnectionPool;
import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.http.HttpPoolSettings;
import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.OutboundSettings;
import io.millrace.backend.http.OutgoingRequestBody;
import io.millrace.backend.http.RedirectLocationParser;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.resolver.AddressResolverGroup;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.Http11SslContextSpec;

/**
 * The HTTP client of download jobs, which connects only to allowed URLs and addresses. It checks each URL, including
 * redirects, against the allowed patterns, and each address against {@link AddressPolicy} at connect. It never sends
 * credentials. Thread-safe.
 */
public final class HttpFetcher {
    /** Connections to one server; the workers of jobs bound the requests. */
    private static final int MOST_CONNECTIONS = 512;

    /** The longest wait for a connection when jobs send more parts than there are connections. */
    private static final Duration QUEUE_TIME = Duration.ofMinutes(5);

    /** The longest wait for the reader of a body, which may have to wait for a backend. */
    private static final Duration UNCLAIMED = Duration.ofMinutes(5);

    private final FetchSettings settings;
    private final HttpTimeouts timeouts;
    private final CheckedConnectionPool connections;

    /** Creates a client; opens no connection yet. */
    public HttpFetcher(FetchSettings settings) {
        this(settings, HttpConnectionPool.nameResolver(), Http11SslContextSpec.forClient());
    }

    /**
     * Creates a client.
     *
     * @param names does the lookups; closed with this client
     */
    HttpFetcher(FetchSettings settings, AddressResolverGroup<InetSocketAddress> names, Http11SslContextSpec tls) {
        this.settings = settings;
        this.timeouts = new HttpTimeouts(settings.firstByteTimeout(), settings.idleTimeout(), UNCLAIMED);
        this.connections = new CheckedConnectionPool(
                new HttpPoolSettings(
                        "fetch", MOST_CONNECTIONS, settings.connectTimeout(), QUEUE_TIME, OutboundSettings.DEFAULTS),
                new AddressPolicy(settings.allowedPrivateAddresses(), "downloads.allowed-private-addresses"),
                names,
                tls);
    }

    /** Returns true if any URL is allowed. */
    public boolean isOpen() {
        return !settings.allowedUrls().isEmpty();
    }

    /** Returns true if the settings allow this URL; does not check its address. */
    public boolean allows(WebUrl url) {
        return settings.allowedUrls().stream().anyMatch(allowed -> allowed.contains(url));
    }

    /**
     * Fetches a URL and follows redirects.
     *
     * @param headers of the request, also after redirects
     * @param use consumes the response, whatever its status; the connection stays open until its result ends
     */
    <T> Mono<T> get(WebUrl url, HeaderList headers, Function<DownloadResponse, Mono<T>> use) {
        return fetch(url, headers, use, 0).singleOrEmpty();
    }

    /** Fetches a URL like {@link #get}, with a use that emits several results. */
    <T> Flux<T> stream(WebUrl url, HeaderList headers, Function<DownloadResponse, Flux<T>> use) {
        return fetch(url, headers, use, 0);
    }

    /** Closes the client; requests under way fail. */
    public Mono<Void> close() {
        return connections.close();
    }

    private <T> Flux<T> fetch(
            WebUrl url, HeaderList headers, Function<DownloadResponse, ? extends Publisher<T>> use, int redirects) {
        return Flux.defer(() -> {
            requireAllowed(url, redirects);
            return send(url, headers)
                    .flatMapMany(response -> Flux.defer(() -> follow(url, headers, response, use, redirects))
                            .doFinally(end -> response.body().discard()));
        });
    }

    private <T> Publisher<T> follow(
            WebUrl url,
            HeaderList headers,
            StreamingResponse response,
            Function<DownloadResponse, ? extends Publisher<T>> use,
            int redirects) {
        DownloadResponse download = download(url, response);
        Optional<WebUrl> next = redirect(download, redirects);
        if (next.isEmpty()) {
            return use.apply(download);
        }
        response.body().discard();
        return fetch(next.get(), headers, use, redirects + 1);
    }

    private void requireAllowed(WebUrl url, int redirects) {
        if (!allows(url)) {
            throw FetchException.lasting("%s%s is not allowed by downloads.allowed-urls in the settings file"
                    .formatted(redirects > 0 ? "it redirects, and " : "", url.withoutQuery()));
        }
    }

    private static Optional<WebUrl> redirect(DownloadResponse response, int redirects) {
        try {
            return RedirectLocationParser.target(
                    response.requested(), response.status(), response.headers().first("location"), redirects);
        } catch (IllegalArgumentException e) {
            throw FetchException.lasting(String.valueOf(e.getMessage()));
        }
    }

    private Mono<StreamingResponse> send(WebUrl url, HeaderList headers) {
        List<HeaderField> fields = new ArrayList<>(List.of(
                new HeaderField("host", url.authority()),
                new HeaderField("user-agent", "millrace"),
                new HeaderField("accept", "*/*")));
        fields.addAll(headers.fields());
        HttpRequestHead request = new HttpRequestHead("GET", url.address(), url.target(), new HeaderList(fields));
        // The first-byte timeout is the server's: jobs may send more parts than there are connections.
        return Mono.defer(() -> connections
                        .sender(url.isSecure())
                        .send(request, OutgoingRequestBody.emptyTimedFromSend(), timeouts))
                .onErrorMap(failure -> DownloadFailureText.explained(url, failure));
    }

    private static DownloadResponse download(WebUrl url, StreamingResponse response) {
        boolean isChunked = isChunked(response.headers());
        String length = isChunked ? null : response.headers().get(HttpHeaderNames.CONTENT_LENGTH);
        return new DownloadResponse(
                url,
                response.status(),
                new HeaderList(response.fields()),
                length == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(length)),
                isChunked || length != null,
                response.body().onErrorMap(failure -> DownloadFailureText.explained(url, failure)));
    }

    private static boolean isChunked(HttpHeaders fields) {
        List<String> codings = fields.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (codings.isEmpty() || (codings.size() == 1 && codings.get(0).strip().equalsIgnoreCase("chunked"))) {
            return !codings.isEmpty();
        }
        throw FetchException.lasting("its server uses an unsupported Transfer-Encoding");
    }
}
