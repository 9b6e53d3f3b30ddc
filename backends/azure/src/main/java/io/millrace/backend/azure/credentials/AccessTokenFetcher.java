package io.millrace.backend.azure.credentials;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.http.HttpPoolSettings;
import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.http.HttpRequestSender;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.OutgoingRequestBody;
import io.millrace.backend.http.PrintableText;
import io.millrace.backend.http.TransportFailures;
import io.millrace.backend.http.outbound.OutboundSettings;
import io.millrace.backend.http.token.AccessToken;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import reactor.core.publisher.Mono;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Fetches access tokens over HTTP, from Microsoft Entra ID or from the machine's metadata service. */
final class AccessTokenFetcher {
    /** A token has some 2 KiB. */
    private static final int MAX_BYTES = 64 << 10;

    private static final int MAX_CONNECTIONS = 4;
    private static final JsonFactory JSON = new JsonFactory();

    private final HttpConnectionPool connections;
    private final HttpRequestSender plain;
    private final HttpRequestSender secured;
    private final HttpTimeouts timeouts;
    private final InstantSource clock;

    /**
     * Opens no connection yet.
     *
     * @param outbound how Microsoft Entra ID is reached; the metadata service is reached directly
     */
    AccessTokenFetcher(
            String backend,
            Duration connectTimeout,
            Duration responseTimeout,
            OutboundSettings outbound,
            InstantSource clock) {
        this.connections = new HttpConnectionPool(new HttpPoolSettings(
                "azure-token-" + backend,
                MAX_CONNECTIONS,
                connectTimeout,
                connectTimeout.plus(responseTimeout),
                outbound.forOtherServers()));
        this.plain = new HttpRequestSender(connections.direct());
        this.secured = new HttpRequestSender(connections.secured(connections.client()));
        this.timeouts = new HttpTimeouts(responseTimeout, responseTimeout, responseTimeout);
        this.clock = clock;
    }

    /** Fetches a token by a GET. */
    Mono<AccessToken> get(URI url, HeaderList headers) {
        return send("GET", url, headers, OutgoingRequestBody.EMPTY);
    }

    /** Fetches a token by a POST of a form. */
    Mono<AccessToken> post(URI url, Map<String, String> form) {
        StringBuilder text = new StringBuilder();
        form.forEach((name, value) -> text.append(text.isEmpty() ? "" : "&")
                .append(SignableRequest.encode(name))
                .append('=')
                .append(SignableRequest.encode(value)));
        byte[] bytes = text.toString().getBytes(StandardCharsets.US_ASCII);
        HeaderList headers = HeaderList.EMPTY
                .with("content-type", "application/x-www-form-urlencoded")
                .with("content-length", String.valueOf(bytes.length));
        return send("POST", url, headers, OutgoingRequestBody.of(ByteBuffer.wrap(bytes)));
    }

    Mono<Void> close() {
        return connections.close();
    }

    private Mono<AccessToken> send(String method, URI url, HeaderList headers, OutgoingRequestBody body) {
        boolean tls = "https".equals(url.getScheme());
        int port = url.getPort() > 0 ? url.getPort() : tls ? 443 : 80;
        String target = url.getRawPath() + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery());
        HttpRequestHead head = new HttpRequestHead(
                method,
                InetSocketAddress.createUnresolved(url.getHost(), port),
                target,
                headers.with("host", url.getRawAuthority()));
        return (tls ? secured : plain)
                .send(head, body, timeouts)
                .flatMap(response -> BufferedResponse.of(response, MAX_BYTES, "the token"))
                .map(this::token)
                .onErrorMap(
                        failure -> !(failure instanceof BackendException),
                        failure -> TransportFailures.of(failure, false));
    }

    private AccessToken token(BufferedResponse response) {
        Map<String, String> fields = fields(response.bytes());
        if (response.status() != 200) {
            boolean passing = response.status() == 429 || response.status() >= 500;
            String reason = fields.getOrDefault("error_description", fields.getOrDefault("error", ""));
            throw new BackendException(
                    passing ? FailureKind.UNAVAILABLE : FailureKind.CREDENTIALS_REJECTED,
                    "%d %s".formatted(response.status(), PrintableText.of(firstLine(reason))));
        }
        String token = fields.getOrDefault("access_token", "");
        if (token.isEmpty()) {
            throw new BackendException(FailureKind.INVALID_RESPONSE, "a response without access_token");
        }
        return new AccessToken(token, expiry(fields));
    }

    /** The two forms: seconds from now, and seconds since 1970, each as a number or as text. */
    private Instant expiry(Map<String, String> fields) {
        try {
            String in = fields.getOrDefault("expires_in", "");
            return in.isEmpty()
                    ? Instant.ofEpochSecond(Long.parseLong(fields.getOrDefault("expires_on", "")))
                    : clock.instant().plusSeconds(Long.parseLong(in));
        } catch (NumberFormatException invalid) {
            throw new BackendException(FailureKind.INVALID_RESPONSE, "a token without a usable expiry");
        }
    }

    /** Returns the fields of the outermost object; empty if it is no JSON. */
    private static Map<String, String> fields(byte[] bytes) {
        Map<String, String> fields = new HashMap<>();
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), bytes)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return Map.of();
            }
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                if (json.nextToken().isScalarValue()) {
                    fields.put(name, String.valueOf(json.getValueAsString()));
                } else {
                    json.skipChildren();
                }
            }
            return fields;
        } catch (JacksonException invalid) {
            return Map.of();
        }
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }
}
