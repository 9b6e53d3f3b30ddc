package io.millrace.backend.web;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.ErrorStatusMapper;
import io.millrace.backend.http.RedirectSettings;
import io.millrace.backend.http.RedirectingClient;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * The client of one web server. Follows redirects within the bounds of the settings, but none from an object to a
 * folder.
 */
final class WebClient {
    /** The largest body of an error that is read, so that its connection can be used again. */
    private static final int MAX_ERROR_BYTES = 64 << 10;

    /** The meaning of error responses. */
    static final ErrorStatusMapper ERRORS = new ErrorStatusMapper(
            "the server asks for credentials or rejects them: set the backend's username and password, or bearer-token",
            "the server denies this: check its permissions, and the backend's credentials");

    private final RedirectingClient client;
    private final Optional<String> authorization;

    /** Creates a client without opening a connection. */
    WebClient(String name, WebBackendSettings settings) {
        client = new RedirectingClient(new RedirectSettings(
                "http-" + name,
                settings.url(),
                settings.allowedRedirects(),
                settings.allowedPrivateAddresses(),
                "backends.%s.%s".formatted(name, WebBackendSettings.ADDRESSES),
                settings.connections()));
        authorization = authorization(settings);
    }

    /**
     * Sends a request and follows redirects; completes when the headers of a response have arrived that is no redirect.
     * Its body must be read or discarded.
     */
    Mono<StreamingResponse> send(String method, WebUrl url, HeaderList headers) {
        return client.send(method, url, headers, authorization, WebClient::leadsToAnObject);
    }

    /**
     * Gets a document with its whole body; fails if the status is not 200.
     *
     * @param maxBytes the largest accepted body
     * @param what names the document in messages
     */
    Mono<BufferedResponse> fetch(WebUrl url, int maxBytes, String what) {
        return send("GET", url, HeaderList.EMPTY)
                .flatMap(response ->
                        response.status() == 200 ? BufferedResponse.of(response, maxBytes, what) : refused(response));
    }

    /** Fails with the meaning of an error response, after its body is read or discarded. */
    <T> Mono<T> refused(StreamingResponse response) {
        return BufferedResponse.of(response, MAX_ERROR_BYTES, "the error response")
                .then()
                .onErrorComplete()
                .then(Mono.error(() -> ERRORS.failure(response.status(), new HeaderList(response.fields()))));
    }

    /** Closes all connections, also those in use. */
    Mono<Void> close() {
        return client.close();
    }

    private static boolean leadsToAnObject(WebUrl from, StreamingResponse redirect, WebUrl to) {
        if (RedirectingClient.isSameServer(from, to) && to.path().equals(from.path() + "/")) {
            throw new BackendException(FailureKind.NO_SUCH_KEY, "it is a folder");
        }
        return true;
    }

    private static Optional<String> authorization(WebBackendSettings settings) {
        Optional<String> bearer = settings.bearerToken().map(token -> "Bearer " + token.reveal());
        return bearer.or(() -> settings.username().map(user -> {
            String pair = user + ":" + settings.password().orElseThrow().reveal();
            return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        }));
    }
}
