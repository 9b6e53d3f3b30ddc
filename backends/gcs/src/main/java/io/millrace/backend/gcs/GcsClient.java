package io.millrace.backend.gcs;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.http.HttpRequestSender;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.LengthCheckedBody;
import io.millrace.backend.http.OutgoingRequestBody;
import io.millrace.backend.http.ResponseDescription;
import io.millrace.backend.http.StreamingRequestBody;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.netty.handler.codec.http.HttpHeaderValues;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The client of one server: its connections and its credentials. It repeats a request only after the server rejected
 * its access token, with a new one; a body that was begun is never repeated. Its failures are {@link
 * BackendException}s.
 */
final class GcsClient {
    private static final JsonMapper JSON = JsonMapper.shared();

    /** The largest response of the JSON API: a page of 1,000 objects with 8 KiB of metadata each. */
    private static final int MAX_BYTES = 16 << 20;

    private static final int MAX_ERROR_BYTES = 64 << 10;

    private final GcsServerAddress endpoint;
    private final GcsCredentials credentials;
    private final Optional<String> userProject;
    private final HttpConnectionPool connections;
    private final HttpRequestSender sender;
    private final HttpRequestSender mediaSender;
    private final HttpTimeouts timeouts;
    private final GcsErrorMapper errors;

    private GcsClient(
            GcsServerAddress endpoint,
            GcsBackendSettings settings,
            GcsCredentials credentials,
            UnaryOperator<HttpClient> network) {
        this.endpoint = endpoint;
        this.credentials = credentials;
        userProject = settings.userProject();
        connections = new HttpConnectionPool(settings.connections().pool("gcs-" + endpoint.backend()));
        HttpClient client = network.apply(connections.client(endpoint.isSecured()));
        sender = new HttpRequestSender(client);
        // Otherwise the server decompresses objects that are stored with gzip.
        mediaSender = new HttpRequestSender(client, HttpHeaderValues.GZIP);
        timeouts = settings.connections().timeouts();
        errors = new GcsErrorMapper(endpoint);
    }

    /**
     * Creates a client without opening a connection.
     *
     * @param name the backend's name in the settings
     */
    static GcsClient create(String name, GcsBackendSettings settings) {
        URI url = settings.endpoint();
        return new GcsClient(
                new GcsServerAddress(name, URI.create(url.getScheme() + "://" + url.getAuthority())),
                settings,
                GcsCredentials.of(name, settings),
                UnaryOperator.identity());
    }

    /** Returns the project of the backend; empty if neither settings nor credentials say. */
    Mono<Optional<String>> project() {
        return credentials.project();
    }

    /** Sends a request for an object and returns the successful response, whose body the subscriber owns. */
    Mono<StreamingResponse> open(GcsFailureContext operation, GcsRequest request) {
        return connections
                .whileOpen(withNewTokenIfRejected(
                        () -> successful(mediaSender, request, OutgoingRequestBody.EMPTY, timeouts)))
                .onErrorResume(failure -> explain(operation, failure));
    }

    /**
     * Sends a request without a body and returns the JSON of the response; without any, that of a deletion is an empty
     * document.
     */
    Mono<JsonNode> exchange(GcsFailureContext operation, GcsRequest request) {
        return exchange(operation, request, ByteBuffer.allocate(0), timeouts);
    }

    /** Sends a request with this JSON on which the server may work for minutes. */
    Mono<JsonNode> exchangeLong(GcsFailureContext operation, GcsRequest request, JsonNode body) {
        return exchange(operation, json(request), json(body), timeouts.forLongOperation());
    }

    /** Sends a request with this JSON. */
    Mono<JsonNode> exchange(GcsFailureContext operation, GcsRequest request, JsonNode body) {
        return exchange(operation, json(request), json(body), timeouts);
    }

    /**
     * Sends an object's metadata and bytes in one request. Fails with the failure of the body's publisher.
     *
     * @param contentType of the object; may be empty
     */
    Mono<JsonNode> upload(
            GcsFailureContext operation, GcsRequest request, JsonNode metadata, String contentType, UploadBody body) {
        return Mono.defer(() -> {
            MultipartRelatedFraming framing =
                    new MultipartRelatedFraming(JSON.writeValueAsBytes(metadata), contentType, body.length());
            GcsRequest typed = request.withHeader("content-type", framing.contentType());
            return body.length() == 0
                    ? LengthCheckedBody.untilEndOfEmpty(body)
                            .then(exchange(operation, typed, framing.end().nioBuffer(), timeouts))
                    : upload(operation, typed, new StreamingRequestBody(body, framing, timeouts));
        });
    }

    /** Maps a failure of the body of a response to {@code operation}. */
    BackendException mapBodyFailure(GcsFailureContext operation, Throwable failure) {
        return errors.mapBodyFailure(operation, failure);
    }

    /** Returns a failure of {@code operation} with the names of backend and operation in its message. */
    BackendException map(GcsFailureContext operation, Throwable failure) {
        return errors.map(operation, failure);
    }

    Mono<Void> close() {
        return Mono.whenDelayError(connections.close(), credentials.close());
    }

    private Mono<JsonNode> exchange(
            GcsFailureContext operation, GcsRequest request, ByteBuffer body, HttpTimeouts times) {
        HeaderList headers = request.method().equals("GET")
                ? request.headers()
                : request.headers().with("content-length", Integer.toString(body.remaining()));
        GcsRequest framed = new GcsRequest(request.method(), request.path(), request.query(), headers);
        return connections
                .whileOpen(withNewTokenIfRejected(
                        () -> successful(sender, framed, OutgoingRequestBody.of(body.duplicate()), times)))
                .flatMap(response -> buffered(response, request.method().equals("DELETE")))
                .onErrorResume(failure -> explain(operation, failure));
    }

    private Mono<JsonNode> upload(GcsFailureContext operation, GcsRequest request, StreamingRequestBody body) {
        GcsRequest framed = request.withHeader(
                "content-length", Long.toString(body.framing().wireLength()));
        return connections
                .whileOpen(successful(sender, framed, body, timeouts))
                .flatMap(body::requireFullySent)
                .flatMap(response -> buffered(response, false))
                .onErrorResume(failure ->
                        body.failure().<Mono<JsonNode>>map(Mono::error).orElseGet(() -> explain(operation, failure)));
    }

    private Mono<StreamingResponse> successful(
            HttpRequestSender by, GcsRequest request, OutgoingRequestBody body, HttpTimeouts times) {
        return credentials
                .token()
                .flatMap(token -> by.send(head(request, token), body, times)
                        .flatMap(response -> response.isSuccessful() ? Mono.just(response) : refused(response, token)));
    }

    private Mono<StreamingResponse> refused(StreamingResponse response, Optional<AccessToken> token) {
        return BufferedResponse.of(response, MAX_ERROR_BYTES, "the error response")
                .flatMap(buffered -> {
                    if (buffered.status() == 401) {
                        token.ifPresent(credentials::invalidate);
                    }
                    return Mono.error(GcsErrorException.of(buffered));
                });
    }

    /** A token may have been revoked, or this machine's clock be late. The server has not acted on the request. */
    private Mono<StreamingResponse> withNewTokenIfRejected(Supplier<Mono<StreamingResponse>> request) {
        return Mono.defer(request)
                .onErrorResume(
                        failure -> failure instanceof GcsErrorException refused && refused.status() == 401,
                        failure -> request.get());
    }

    private HttpRequestHead head(GcsRequest request, Optional<AccessToken> token) {
        List<HeaderField> fields = new ArrayList<>(request.headers().fields());
        fields.add(new HeaderField("host", endpoint.host()));
        token.ifPresent(present -> fields.add(new HeaderField("authorization", present.toHeader())));
        userProject.ifPresent(project -> fields.add(new HeaderField("x-goog-user-project", project)));
        return new HttpRequestHead(request.method(), endpoint.address(), request.target(), new HeaderList(fields));
    }

    /** Maps the failure. A 404 that may be about object or bucket is decided by asking for the bucket. */
    private <T> Mono<T> explain(GcsFailureContext operation, Throwable failure) {
        BackendException mapped = errors.map(operation, failure);
        boolean isUnclear = operation.bucket().isPresent()
                && failure instanceof GcsErrorException refused
                && refused.status() == 404
                && refused.isAboutBucket().isEmpty();
        if (!isUnclear) {
            return Mono.error(mapped);
        }
        GcsFailureContext ofBucket =
                GcsFailureContext.bucket("GET", operation.bucket().orElseThrow(), false);
        return exchange(
                        ofBucket,
                        GcsRequest.bucket("GET", operation.bucket().orElseThrow())
                                .with("fields", "name"))
                .onErrorResume(
                        BackendException.class,
                        other -> Mono.error(
                                other.kind() == FailureKind.NO_SUCH_BUCKET ? other : errors.map(operation, failure)))
                .flatMap(exists -> Mono.error(mapped));
    }

    /**
     * Reads the document of a response. Only a deletion may have none, or {@code null} at an emulator: without its
     * document, any other success is not of the server.
     */
    private static Mono<JsonNode> buffered(StreamingResponse response, boolean isDeletion) {
        return BufferedResponse.of(response, MAX_BYTES, "the response").map(whole -> {
            JsonNode document = parse(whole);
            if (document.isObject()) {
                return document;
            }
            if (isDeletion && (document.isNull() || document.isMissingNode())) {
                return JSON.createObjectNode();
            }
            throw noGcs(whole);
        });
    }

    private static JsonNode parse(BufferedResponse response) {
        try {
            return JSON.readTree(response.bytes());
        } catch (JacksonException notJson) {
            throw noGcs(response);
        }
    }

    /** Returns the failure of a success that Google Cloud Storage does not say, but any web server. */
    private static BackendException noGcs(BufferedResponse response) {
        return new BackendException(
                FailureKind.INVALID_RESPONSE,
                ("no Google Cloud Storage: its response is no document of the JSON API, but %s; check the backend's"
                                + " endpoint")
                        .formatted(ResponseDescription.of(response)));
    }

    private static GcsRequest json(GcsRequest request) {
        return request.withHeader("content-type", "application/json; charset=UTF-8");
    }

    private static ByteBuffer json(JsonNode body) {
        return ByteBuffer.wrap(JSON.writeValueAsBytes(body));
    }
}
