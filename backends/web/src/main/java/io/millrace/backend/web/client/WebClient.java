package io.millrace.backend.web.client;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.http.HttpPoolSettings;
import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.http.HttpRequestSender;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.OutgoingRequestBody;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.http.address.AddressPolicy;
import io.millrace.backend.http.address.CheckedConnectionPool;
import io.millrace.backend.http.outbound.OutboundSettings;
import io.millrace.backend.http.url.RedirectLocationParser;
import io.millrace.backend.http.url.WebUrl;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.web.settings.WebBackendSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * The client of one web server. Follows redirects within the server and to allowed URLs; the address of any other server must be public
 * or allowed. Sends credentials to the server of the settings only.
 */
public final class WebClient {
    /** The time to wait for a free connection, in addition to the connect timeout. */
    private static final Duration QUEUE_TIME = Duration.ofSeconds(5);

    /** The largest body of an error that is read, so that its connection can be used again. */
    private static final int MAX_ERROR_BYTES = 64 << 10;

    private static final int HTTPS_PORT = 443;

    private final WebBackendSettings settings;
    private final HttpConnectionPool own;
    private final CheckedConnectionPool others;
    private final HttpRequestSender plain;
    private final HttpRequestSender secure;
    private final HttpTimeouts timeouts;
    private final Optional<String> authorization;
    private volatile boolean closed;

    /** Creates a client without opening a connection. */
    public WebClient(String name, WebBackendSettings settings) {
        this.settings = settings;
        own = new HttpConnectionPool(pool(name, settings, settings.outbound()));
        plain = new HttpRequestSender(own.client());
        secure = new HttpRequestSender(own.secured(own.client()));
        others = new CheckedConnectionPool(
                pool(name, settings, settings.outbound().forOtherServers()),
                new AddressPolicy(
                        settings.allowedPrivateAddresses(),
                        "backends.%s.%s".formatted(name, WebBackendSettings.ADDRESSES)));
        timeouts = new HttpTimeouts(settings.firstByteTimeout(), settings.idleTimeout(), settings.idleTimeout());
        authorization = authorization(settings);
    }

    /**
     * Sends a request and follows redirects; completes when the headers of a response have arrived that is no redirect. Its body must be read or
     * discarded.
     */
    public Mono<StreamingResponse> send(String method, WebUrl url, HeaderList headers) {
        return Mono.defer(() -> closed
                ? Mono.error(new BackendException(FailureKind.UNAVAILABLE, "the backend is closed"))
                : follow(method, url, headers, 0));
    }

    /**
     * Gets a document with its whole body; fails if the status is not 200.
     *
     * @param maxBytes the largest accepted body
     * @param what names the document in messages
     */
    public Mono<BufferedResponse> fetch(WebUrl url, int maxBytes, String what) {
        return send("GET", url, HeaderList.EMPTY)
                .flatMap(response ->
                        response.status() == 200 ? BufferedResponse.of(response, maxBytes, what) : refused(response));
    }

    /** Fails with the meaning of an error response, after its body is read or discarded. */
    public <T> Mono<T> refused(StreamingResponse response) {
        return BufferedResponse.of(response, MAX_ERROR_BYTES, "the error response")
                .then()
                .onErrorComplete()
                .then(Mono.error(
                        () -> ErrorStatusMapper.failure(response.status(), new HeaderList(response.fields()))));
    }

    /** Closes all connections, also those in use. */
    public Mono<Void> close() {
        return Mono.fromRunnable(() -> closed = true).then(own.close()).then(others.close());
    }

    private Mono<StreamingResponse> follow(String method, WebUrl url, HeaderList headers, int followed) {
        return sendOnce(method, url, headers).flatMap(response -> {
            Optional<WebUrl> next;
            try {
                next = next(url, response, followed);
            } catch (BackendException refused) {
                response.body().discard();
                return Mono.error(refused);
            }
            if (next.isEmpty()) {
                return Mono.just(response);
            }
            response.body().discard();
            return follow(method, next.get(), headers, followed + 1);
        });
    }

    private Optional<WebUrl> next(WebUrl url, StreamingResponse response, int followed) {
        Optional<WebUrl> next;
        try {
            next = RedirectLocationParser.target(
                    url,
                    response.status(),
                    Optional.ofNullable(response.headers().get("location")),
                    followed);
        } catch (IllegalArgumentException e) {
            throw new BackendException(FailureKind.ACCESS_DENIED, String.valueOf(e.getMessage()));
        }
        next.ifPresent(target -> requireAllowed(url, target));
        return next;
    }

    private void requireAllowed(WebUrl url, WebUrl target) {
        if (isSameServer(url, target) && target.path().equals(url.path() + "/")) {
            throw new BackendException(FailureKind.NO_SUCH_KEY, "it is a folder");
        }
        boolean allowed =
                isOwn(target) || settings.allowedRedirects().stream().anyMatch(pattern -> pattern.contains(target));
        if (!allowed) {
            throw new BackendException(
                    FailureKind.ACCESS_DENIED,
                    "it redirects to %s, which the backend's allowed-redirects does not name"
                            .formatted(target.withoutQuery()));
        }
    }

    private Mono<StreamingResponse> sendOnce(String method, WebUrl url, HeaderList headers) {
        List<HeaderField> fields = new ArrayList<>(List.of(
                new HeaderField("host", url.authority()),
                new HeaderField("user-agent", "millrace"),
                new HeaderField("accept", "*/*")));
        fields.addAll(headers.fields());
        authorization
                .filter(value -> isSameServer(settings.url(), url))
                .ifPresent(value -> fields.add(new HeaderField("authorization", value)));
        HttpRequestHead head = new HttpRequestHead(method, url.address(), url.target(), new HeaderList(fields));
        return sender(url).send(head, OutgoingRequestBody.EMPTY, timeouts);
    }

    private HttpRequestSender sender(WebUrl url) {
        if (!isOwn(url)) {
            return others.sender(url.isSecure());
        }
        return url.isSecure() ? secure : plain;
    }

    /** Returns whether a URL is of the server of the settings, whose address is the operator's choice; TLS may be added. */
    private boolean isOwn(WebUrl url) {
        boolean upgraded = url.isSecure()
                && url.port() == HTTPS_PORT
                && url.host().equals(settings.url().host());
        return upgraded || isSameServer(settings.url(), url);
    }

    private static boolean isSameServer(WebUrl one, WebUrl other) {
        return one.scheme() == other.scheme() && one.host().equals(other.host()) && one.port() == other.port();
    }

    private static HttpPoolSettings pool(String name, WebBackendSettings settings, OutboundSettings outbound) {
        return new HttpPoolSettings(
                "http-" + name,
                settings.maxConnections(),
                settings.connectTimeout(),
                settings.connectTimeout().plus(QUEUE_TIME),
                outbound);
    }

    private static Optional<String> authorization(WebBackendSettings settings) {
        Optional<String> bearer = settings.bearerToken().map(token -> "Bearer " + token.reveal());
        return bearer.or(() -> settings.username().map(user -> {
            String pair = user + ":" + settings.password().orElseThrow().reveal();
            return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        }));
    }
}
