package io.millrace.backend.gcs;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.TokenEndpointClient;
import io.millrace.backend.http.TokenResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import reactor.core.publisher.Mono;

/**
 * Access tokens of the machine, pod or function at Google that Millrace runs on, from its metadata server.
 *
 * @param host name, and port if it is not 80
 * @see <a href="https://cloud.google.com/compute/docs/metadata/overview">The metadata server</a>
 */
record MetadataServerTokenSource(String host, TokenEndpointClient endpoints) implements GoogleTokenSource {
    /** Tells the metadata server that no redirected browser asks, and its response that no other server answers. */
    private static final HeaderList FLAVOR = HeaderList.EMPTY.with("metadata-flavor", "Google");

    /** The server is on the same machine; outside Google the name resolves to nothing, or packets vanish. */
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private static final String BASE = "/computeMetadata/v1/";

    @Override
    public String description() {
        return "the metadata server at " + host;
    }

    @Override
    public Mono<AccessToken> fetch() {
        URI endpoint = endpoint("instance/service-accounts/default/token?scopes=" + SCOPE);
        return get(endpoint)
                .map(response -> TokenResponse.of(endpoint, response.status(), response.bytes())
                        .token(endpoints.clock().instant()));
    }

    @Override
    public Mono<Optional<String>> project() {
        return get(endpoint("project/project-id"))
                .map(response -> Optional.of(new String(response.bytes(), StandardCharsets.UTF_8).strip())
                        .filter(id -> response.status() == 200 && !id.isEmpty()));
    }

    private Mono<BufferedResponse> get(URI endpoint) {
        return endpoints
                .get(endpoint, FLAVOR)
                .timeout(TIMEOUT)
                .onErrorMap(
                        TimeoutException.class,
                        e -> new BackendException(
                                FailureKind.UNAVAILABLE, "no response within %d s".formatted(TIMEOUT.toSeconds())))
                .filter(response -> response.header("metadata-flavor").isPresent())
                .switchIfEmpty(Mono.error(() ->
                        new BackendException(FailureKind.CREDENTIALS_REJECTED, "what answers is no metadata server")));
    }

    private URI endpoint(String path) {
        return URI.create("http://" + host + BASE + path);
    }
}
