package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.HeaderList;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.stream.Collectors;
import reactor.core.publisher.Mono;

/**
 * The client of the endpoints that issue a cloud's access tokens: of its identity service, and of the metadata service
 * of a machine there. Its failures are BackendExceptions that contain nothing it has sent.
 */
public final class TokenEndpointClient {
    /** A token has some 2 KiB. */
    private static final int MAX_BYTES = 64 << 10;

    private static final int HTTPS_PORT = 443;
    private static final int HTTP_PORT = 80;

    private final HttpConnectionPool connections;
    private final HttpRequestSender plain;
    private final HttpRequestSender secured;
    private final HttpTimeouts timeouts;
    private final InstantSource clock;

    /**
     * Opens no connection yet.
     *
     * @param pool how endpoints are reached, without the backend's client certificate; those without TLS, as metadata
     *     services are, are reached directly
     * @param responseTimeout until a response begins, and between its pieces
     */
    public TokenEndpointClient(HttpPoolSettings pool, Duration responseTimeout, InstantSource clock) {
        this.connections = new HttpConnectionPool(pool.forOtherServers());
        this.plain = new HttpRequestSender(connections.direct());
        this.secured = new HttpRequestSender(connections.secured(connections.client()));
        this.timeouts = new HttpTimeouts(responseTimeout, responseTimeout, responseTimeout);
        this.clock = clock;
    }

    /** Returns the clock that tells when a token expires. */
    public InstantSource clock() {
        return clock;
    }

    /** Fetches a token by a GET. */
    public Mono<AccessToken> getToken(URI endpoint, HeaderList headers) {
        return token(endpoint, get(endpoint, headers));
    }

    /** Fetches a token by a POST of a form. */
    public Mono<AccessToken> postForm(URI endpoint, Map<String, String> form) {
        String body = form.entrySet().stream()
                .map(field -> encode(field.getKey()) + "=" + encode(field.getValue()))
                .collect(Collectors.joining("&"));
        HeaderList headers = HeaderList.EMPTY.with("content-type", "application/x-www-form-urlencoded");
        return token(endpoint, post(endpoint, headers, body.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Posts a JSON document and returns the fields of the response. */
    public Mono<TokenResponse> postJson(URI endpoint, HeaderList headers, byte[] document) {
        return parsed(endpoint, post(endpoint, headers.with("content-type", "application/json"), document));
    }

    /** Sends a GET and returns the response, whatever its status. */
    public Mono<BufferedResponse> get(URI endpoint, HeaderList headers) {
        return send(endpoint, "GET", headers, OutgoingRequestBody.EMPTY);
    }

    public Mono<Void> close() {
        return connections.close();
    }

    private Mono<AccessToken> token(URI endpoint, Mono<BufferedResponse> response) {
        return parsed(endpoint, response).map(fields -> fields.token(clock.instant()));
    }

    private static Mono<TokenResponse> parsed(URI endpoint, Mono<BufferedResponse> response) {
        return response.map(arrived -> TokenResponse.of(endpoint, arrived.status(), arrived.bytes()));
    }

    private Mono<BufferedResponse> post(URI endpoint, HeaderList headers, byte[] body) {
        return send(
                endpoint,
                "POST",
                headers.with("content-length", String.valueOf(body.length)),
                OutgoingRequestBody.of(ByteBuffer.wrap(body)));
    }

    private Mono<BufferedResponse> send(URI endpoint, String method, HeaderList headers, OutgoingRequestBody body) {
        boolean tls = "https".equals(endpoint.getScheme());
        int port = endpoint.getPort() > 0 ? endpoint.getPort() : tls ? HTTPS_PORT : HTTP_PORT;
        String query = endpoint.getRawQuery() == null ? "" : "?" + endpoint.getRawQuery();
        HttpRequestHead head = new HttpRequestHead(
                method,
                InetSocketAddress.createUnresolved(endpoint.getHost(), port),
                endpoint.getRawPath() + query,
                headers.with("host", endpoint.getRawAuthority()));
        return (tls ? secured : plain)
                .send(head, body, timeouts)
                .flatMap(response -> BufferedResponse.of(response, MAX_BYTES, "the response of the token endpoint"))
                .onErrorMap(
                        failure -> !(failure instanceof BackendException),
                        failure -> TransportFailures.of(failure, false));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
