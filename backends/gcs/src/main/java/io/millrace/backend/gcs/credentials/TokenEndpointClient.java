package io.millrace.backend.gcs.credentials;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.http.HttpPoolSettings;
import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.http.HttpRequestSender;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.OutgoingRequestBody;
import io.millrace.backend.http.TransportFailures;
import io.millrace.backend.http.outbound.OutboundSettings;
import io.millrace.backend.http.token.AccessToken;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
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
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sends requests to token endpoints and to the metadata server, and reads their JSON. Its errors contain no secret. */
final class TokenEndpointClient {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int MAX_BYTES = 64 << 10;
    private static final int HTTPS = 443;
    private static final int HTTP = 80;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    private static final HttpTimeouts TIMEOUTS =
            new HttpTimeouts(Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(10));

    private final HttpConnectionPool pool;
    private final HttpRequestSender plain;
    private final HttpRequestSender secured;
    private final InstantSource clock;

    /** @param outbound how token endpoints are reached; the metadata server is reached directly */
    TokenEndpointClient(String backend, OutboundSettings outbound, InstantSource clock) {
        pool = new HttpConnectionPool(new HttpPoolSettings(
                "gcs-tokens-" + backend, 2, CONNECT_TIMEOUT, Duration.ofSeconds(10), outbound.forOtherServers()));
        plain = new HttpRequestSender(pool.direct());
        secured = new HttpRequestSender(pool.secured(pool.client()));
        this.clock = clock;
    }

    InstantSource clock() {
        return clock;
    }

    /** Posts a form and returns the access token of the response, {@code access_token} and {@code expires_in}. */
    Mono<AccessToken> postForm(URI endpoint, Map<String, String> form) {
        String body = form.entrySet().stream()
                .map(field -> encode(field.getKey()) + "=" + encode(field.getValue()))
                .collect(Collectors.joining("&"));
        HeaderList headers = HeaderList.EMPTY.with("content-type", "application/x-www-form-urlencoded");
        return json(endpoint, post(endpoint, headers, body)).map(this::token);
    }

    /** Posts a JSON document with these headers and returns that of the response. */
    Mono<JsonNode> postJson(URI endpoint, HeaderList headers, JsonNode body) {
        HeaderList all = headers.with("content-type", "application/json");
        return json(endpoint, post(endpoint, all, JSON.writeValueAsString(body)));
    }

    Mono<BufferedResponse> get(URI endpoint, HeaderList headers) {
        return send(endpoint, "GET", headers, ByteBuffer.allocate(0));
    }

    /** Reads {@code access_token} and {@code expires_in}. */
    AccessToken token(JsonNode document) {
        String value = document.path("access_token").asString("");
        long seconds = document.path("expires_in").asLong(0);
        if (value.isEmpty() || seconds <= 0) {
            throw new BackendException(FailureKind.INVALID_RESPONSE, "no access token in the response");
        }
        return new AccessToken(value, clock.instant().plusSeconds(seconds));
    }

    /** Parses a successful response; maps an error to its kind, with the endpoint's own words. */
    static JsonNode parse(URI endpoint, BufferedResponse response) {
        JsonNode document = document(response);
        if (response.status() == 200) {
            return document;
        }
        boolean isTransient = response.status() >= 500 || response.status() == 429 || response.status() == 408;
        throw new BackendException(
                isTransient ? FailureKind.UNAVAILABLE : FailureKind.CREDENTIALS_REJECTED,
                "%s responds with status %d%s".formatted(endpoint.getHost(), response.status(), reason(document)));
    }

    Mono<Void> close() {
        return pool.close();
    }

    private Mono<BufferedResponse> post(URI endpoint, HeaderList headers, String body) {
        return send(endpoint, "POST", headers, ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)));
    }

    private Mono<BufferedResponse> send(URI endpoint, String method, HeaderList headers, ByteBuffer body) {
        boolean tls = "https".equals(endpoint.getScheme());
        int port = endpoint.getPort() >= 0 ? endpoint.getPort() : tls ? HTTPS : HTTP;
        String query = endpoint.getRawQuery() == null ? "" : "?" + endpoint.getRawQuery();
        HeaderList all = headers.with("host", endpoint.getAuthority());
        HttpRequestHead head = new HttpRequestHead(
                method,
                InetSocketAddress.createUnresolved(endpoint.getHost(), port),
                endpoint.getRawPath() + query,
                body.hasRemaining() ? all.with("content-length", Integer.toString(body.remaining())) : all);
        return (tls ? secured : plain)
                .send(head, OutgoingRequestBody.of(body), TIMEOUTS)
                .flatMap(response -> BufferedResponse.of(response, MAX_BYTES, "the response of the token endpoint"))
                .onErrorMap(
                        failure -> !(failure instanceof BackendException),
                        failure -> TransportFailures.of(failure, false));
    }

    private static Mono<JsonNode> json(URI endpoint, Mono<BufferedResponse> response) {
        return response.map(arrived -> parse(endpoint, arrived));
    }

    private static JsonNode document(BufferedResponse response) {
        try {
            return JSON.readTree(response.bytes());
        } catch (JacksonException notJson) {
            return JSON.createObjectNode();
        }
    }

    private static String reason(JsonNode document) {
        JsonNode error = document.path("error");
        String code = error.isObject() ? error.path("status").asString("") : error.asString("");
        String text = error.isObject()
                ? error.path("message").asString("")
                : document.path("error_description").asString("");
        return code.isEmpty() && text.isEmpty() ? "" : ": " + (code + " " + text).strip();
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
