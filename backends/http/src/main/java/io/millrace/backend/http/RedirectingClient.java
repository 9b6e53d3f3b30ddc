package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * The client of one server that follows redirects, within the server and to allowed URLs; the address of any other
 * server must be public or allowed. Sends credentials to its own server only. Thread-safe.
 */
public final class RedirectingClient {
    private static final int HTTPS_PORT = 443;

    private final RedirectSettings settings;
    private final HttpTimeouts timeouts;
    private final HttpConnectionPool own;
    private final CheckedConnectionPool others;
    private final HttpRequestSender plain;
    private final HttpRequestSender secure;

    /** The part of a request that every hop has. */
    private record Request(
            String method, HeaderList headers, ByteBuffer body, Optional<String> authorization, RedirectRule rule) {}

    /**
     * Creates a client without opening a connection.
     *
     * @throws IllegalArgumentException if a file of the settings cannot be used; the message says what to do
     */
    public RedirectingClient(RedirectSettings settings) {
        this.settings = settings;
        timeouts = settings.connections().timeouts();
        HttpPoolSettings pool = settings.connections().pool(settings.pool());
        own = new HttpConnectionPool(pool);
        plain = new HttpRequestSender(own.client());
        secure = new HttpRequestSender(own.secured(own.client()));
        others = new CheckedConnectionPool(
                pool.forOtherServers(), new AddressPolicy(settings.allowedPrivateAddresses(), settings.addressesKey()));
    }

    /**
     * Sends a request and follows redirects; completes when the headers of a response have arrived that is no redirect,
     * or one that the rule does not follow. Its body must be read or discarded.
     *
     * @param authorization the value of that header, for the own server alone
     */
    public Mono<StreamingResponse> send(
            String method, WebUrl url, HeaderList headers, Optional<String> authorization, RedirectRule rule) {
        return send(new Request(method, headers, ByteBuffer.allocate(0), authorization, rule), url);
    }

    /** Sends a request with a body by a POST, to each server that it is redirected to. */
    public Mono<StreamingResponse> post(
            WebUrl url, HeaderList headers, ByteBuffer body, Optional<String> authorization, RedirectRule rule) {
        HeaderList all = headers.with("content-length", String.valueOf(body.remaining()));
        return send(new Request("POST", all, body, authorization, rule), url);
    }

    private Mono<StreamingResponse> send(Request request, WebUrl url) {
        return Mono.defer(() -> {
            own.requireOpen();
            return follow(request, url, 0);
        });
    }

    /** Returns whether a URL is of the server of the settings. */
    public boolean isOwnServer(WebUrl url) {
        return isSameServer(settings.server(), url);
    }

    /** Closes all connections, also those in use. */
    public Mono<Void> close() {
        return own.close().then(others.close());
    }

    /** Returns whether both URLs have one scheme, host and port. */
    public static boolean isSameServer(WebUrl one, WebUrl other) {
        return one.scheme() == other.scheme() && one.host().equals(other.host()) && one.port() == other.port();
    }

    private Mono<StreamingResponse> follow(Request request, WebUrl url, int followed) {
        return sendOnce(request, url).flatMap(response -> {
            Optional<WebUrl> next;
            try {
                next = next(request, url, response, followed);
            } catch (BackendException refused) {
                response.body().discard();
                return Mono.error(refused);
            }
            if (next.isEmpty()) {
                return Mono.just(response);
            }
            response.body().discard();
            return follow(request, next.get(), followed + 1);
        });
    }

    private Optional<WebUrl> next(Request request, WebUrl url, StreamingResponse response, int followed) {
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
        if (next.isEmpty() || !request.rule().follows(url, response, next.get())) {
            return Optional.empty();
        }
        requireAllowed(next.get());
        return next;
    }

    private void requireAllowed(WebUrl target) {
        boolean allowed =
                isOwn(target) || settings.allowedRedirects().stream().anyMatch(pattern -> pattern.contains(target));
        if (!allowed) {
            throw new BackendException(
                    FailureKind.ACCESS_DENIED,
                    "it redirects to %s, which the backend's allowed-redirects does not name"
                            .formatted(target.withoutQuery()));
        }
    }

    private Mono<StreamingResponse> sendOnce(Request request, WebUrl url) {
        List<HeaderField> fields = new ArrayList<>(List.of(
                new HeaderField("host", url.authority()),
                new HeaderField("user-agent", "millrace"),
                new HeaderField("accept", "*/*")));
        fields.addAll(request.headers().fields());
        request.authorization()
                .filter(value -> isOwnServer(url))
                .ifPresent(value -> fields.add(new HeaderField("authorization", value)));
        HttpRequestHead head =
                new HttpRequestHead(request.method(), url.address(), url.target(), new HeaderList(fields));
        OutgoingRequestBody body = OutgoingRequestBody.of(request.body().duplicate());
        return sender(url).send(head, body, timeouts);
    }

    private HttpRequestSender sender(WebUrl url) {
        if (!isOwn(url)) {
            return others.sender(url.isSecure());
        }
        return url.isSecure() ? secure : plain;
    }

    /**
     * Returns whether a URL is of the server of the settings, whose address is the operator's choice; TLS may be added.
     */
    private boolean isOwn(WebUrl url) {
        boolean upgraded = url.isSecure()
                && url.port() == HTTPS_PORT
                && url.host().equals(settings.server().host());
        return upgraded || isOwnServer(url);
    }
}
