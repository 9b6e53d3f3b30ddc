package io.millrace.backend.gcs;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.http.HttpPoolSettings;
import io.millrace.backend.http.TokenEndpointClient;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.kit.async.RenewingCache;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The credentials of one backend: its current access token, or none if it is anonymous. Files are read again for each
 * token.
 */
final class GcsCredentials {
    private static final Logger LOG = LoggerFactory.getLogger(GcsCredentials.class);
    private static final int MAX_CONNECTIONS = 2;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(10);

    private final String backend;
    private final GcsBackendSettings settings;
    private final CredentialsFinder finder;
    private final TokenEndpointClient endpoints;
    private final RenewingCache<AccessToken> tokens;
    private volatile @Nullable String announced;

    GcsCredentials(String backend, GcsBackendSettings settings, CredentialsFinder finder, InstantSource clock) {
        this.backend = backend;
        this.settings = settings;
        this.finder = finder;
        this.endpoints = endpoints(backend, settings, clock);
        this.tokens = AccessToken.cache(source().flatMap(this::fetch), this::renewalFailed, clock);
    }

    /**
     * Creates the credentials. Reads no file and sends no request.
     *
     * @param backend its name in the settings
     */
    static GcsCredentials of(String backend, GcsBackendSettings settings) {
        return new GcsCredentials(backend, settings, CredentialsFinder.ofProcess(), InstantSource.system());
    }

    /**
     * Reads the credentials file of the settings, if there is one.
     *
     * @throws IllegalArgumentException if it cannot be used; the message says what to do
     */
    static void requireUsable(GcsBackendSettings settings) {
        Optional<Path> file = settings.credentialsFile();
        if (file.isPresent()) {
            TokenEndpointClient unused = endpoints("check", settings, InstantSource.system());
            CredentialsFinder.ofProcess().find(file, unused);
        }
    }

    /**
     * Returns the current token, empty for an anonymous backend; fails with a {@link BackendException} that names the
     * source.
     */
    Mono<Optional<AccessToken>> token() {
        return settings.anonymous() ? Mono.just(Optional.empty()) : tokens.get().map(Optional::of);
    }

    /** Drops a token that the server rejected. */
    void invalidate(AccessToken rejected) {
        tokens.invalidate(rejected);
    }

    /** Returns the project of the settings, or that of the credentials; empty if neither says. */
    Mono<Optional<String>> project() {
        if (settings.project().isPresent() || settings.anonymous()) {
            return Mono.just(settings.project());
        }
        return source().flatMap(source -> source.project().onErrorMap(failure -> failure(source, failure)));
    }

    Mono<Void> close() {
        return endpoints.close();
    }

    /**
     * Returns a client with timeouts of its own: how long an endpoint may take does not depend on how long an object
     * may.
     */
    private static TokenEndpointClient endpoints(String backend, GcsBackendSettings settings, InstantSource clock) {
        HttpPoolSettings pool = new HttpPoolSettings(
                "gcs-tokens-" + backend,
                MAX_CONNECTIONS,
                CONNECT_TIMEOUT,
                RESPONSE_TIMEOUT,
                settings.connections().outbound());
        return new TokenEndpointClient(pool, RESPONSE_TIMEOUT, clock);
    }

    private Mono<GoogleTokenSource> source() {
        return Mono.fromCallable(() -> finder.find(settings.credentialsFile(), endpoints))
                .subscribeOn(Schedulers.boundedElastic())
                .onErrorMap(
                        IllegalArgumentException.class,
                        e -> new BackendException(
                                FailureKind.CREDENTIALS_REJECTED, "no credentials: " + e.getMessage()));
    }

    private Mono<AccessToken> fetch(GoogleTokenSource source) {
        return source.fetch().doOnNext(token -> announce(source)).onErrorMap(failure -> failure(source, failure));
    }

    private void announce(GoogleTokenSource source) {
        if (!source.description().equals(announced)) {
            announced = source.description();
            LOG.info("Backend '{}' has credentials from {}", backend, source.description());
        }
    }

    private void renewalFailed(Throwable failure) {
        LOG.warn("Backend '{}' keeps the access token it has: {}", backend, failure.getMessage());
    }

    private static BackendException failure(GoogleTokenSource source, Throwable cause) {
        if (source instanceof MetadataServerTokenSource && isUnreachable(cause)) {
            return new BackendException(
                    FailureKind.CREDENTIALS_REJECTED,
                    ("there are no credentials: give credentials-file, or anonymous: true, or set up the application"
                                    + " default credentials; no file is set up, and %s gave none: %s")
                            .formatted(source.description(), cause.getMessage()));
        }
        return new BackendException(
                kind(cause), "no access token from %s: %s".formatted(source.description(), cause.getMessage()));
    }

    private static FailureKind kind(Throwable cause) {
        if (isUnreachable(cause)) {
            return FailureKind.CREDENTIALS_UNAVAILABLE;
        }
        return cause instanceof BackendException known ? known.kind() : FailureKind.CREDENTIALS_REJECTED;
    }

    private static boolean isUnreachable(Throwable cause) {
        return cause instanceof IOException
                || cause instanceof TimeoutException
                || (cause instanceof BackendException known && known.kind() == FailureKind.UNAVAILABLE);
    }
}
