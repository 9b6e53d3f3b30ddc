package io.millrace.backend.s3;

import io.millrace.backend.http.TransportReason;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.kit.async.RenewingCache;
import io.millrace.kit.async.RenewingCache.Lifetime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.utils.IoUtils;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * Caches the credentials of a {@link CredentialsChainSource} and renews them in the background. A request waits only
 * for the first credentials, and for new ones after the cached ones expired. One fetch runs at a time, on a thread that
 * may block.
 *
 * <p>The SDK's providers cache too, and fetch again minutes before expiry, so most renewals cost nothing. A renewal
 * here keeps that fetch off the event loops of requests.
 */
final class RefreshingCredentials implements SdkAutoCloseable {
    /** The longest time between renewals; a changed profile file takes effect after it. */
    static final Duration RENEWAL = Duration.ofMinutes(1);

    /** The time between failed renewals while the cached credentials are valid. */
    static final Duration RETRY_DELAY = Duration.ofSeconds(5);

    /** Longer than all attempts of the SDK; a {@code credential_process} has no timeout of its own. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final int DEPTH = 12;
    private static final Logger LOG = LoggerFactory.getLogger(RefreshingCredentials.class);

    private final String backend;
    private final Supplier<CredentialsChainSource> sourceFinder;
    private final RenewingCache<AwsCredentialsIdentity> cache;
    private volatile @Nullable CredentialsChainSource source;
    private volatile @Nullable AwsCredentialsIdentity last;

    /**
     * Fetches nothing yet.
     *
     * @param backend its name in the settings
     * @param chain finds the source, at the first fetch
     */
    RefreshingCredentials(String backend, Supplier<CredentialsChainSource> chain, InstantSource clock) {
        this.backend = backend;
        this.sourceFinder = chain;
        this.cache = new RenewingCache<>(
                Mono.defer(this::resolve), RefreshingCredentials::lifetime, RETRY_DELAY, this::renewalFailed, clock);
    }

    /** Returns the current credentials; fails with a {@link BackendException} that names the source. */
    Mono<AwsCredentialsIdentity> identity() {
        return cache.get();
    }

    @Override
    public void close() {
        CredentialsChainSource found = source;
        if (found != null && found.provider() instanceof SdkAutoCloseable closeable) {
            IoUtils.closeQuietlyV2(closeable, null);
        }
    }

    private void renewalFailed(Throwable failure) {
        LOG.warn(
                "Backend '{}' keeps the credentials it has{}: {}",
                backend,
                Optional.ofNullable(last)
                        .flatMap(AwsCredentialsIdentity::expirationTime)
                        .map(end -> ", which expire at " + end)
                        .orElse(""),
                failure.getMessage());
    }

    private Mono<AwsCredentialsIdentity> resolve() {
        return Mono.<AwsCredentialsIdentity>fromCallable(() -> link().provider().resolveCredentials())
                .subscribeOn(Schedulers.boundedElastic())
                .timeout(TIMEOUT)
                .doOnNext(this::announce)
                .onErrorMap(this::failure);
    }

    private CredentialsChainSource link() {
        CredentialsChainSource found = source;
        if (found == null) {
            found = sourceFinder.get();
            source = found;
        }
        return found;
    }

    private void announce(AwsCredentialsIdentity identity) {
        if (last == null) {
            LOG.info("Backend '{}' has credentials from {}", backend, link().name());
        }
        last = identity;
    }

    private static Lifetime lifetime(AwsCredentialsIdentity identity, Instant now) {
        Instant end = identity.expirationTime().orElse(Instant.MAX);
        // Short-lived credentials are renewed at half their lifetime.
        Instant renewal = end.isBefore(now.plus(RENEWAL.multipliedBy(2)))
                ? now.plus(Duration.between(now, end).dividedBy(2))
                : now.plus(RENEWAL);
        return new Lifetime(renewal, end);
    }

    private BackendException failure(Throwable cause) {
        CredentialsChainSource found = source;
        String reason = cause instanceof TimeoutException
                ? "no response within %d s".formatted(TIMEOUT.toSeconds())
                : reason(cause);
        if (found == null) {
            return new BackendException(FailureKind.CREDENTIALS_REJECTED, "no credentials: " + reason);
        }
        if (found.isLastResort()) {
            return new BackendException(
                    FailureKind.CREDENTIALS_REJECTED,
                    ("there are no credentials: give access-key and secret-key, or anonymous: true, or set up one of"
                                    + " the sources of the AWS SDKs; nothing is set up, and the %s gave none: %s")
                            .formatted(found.name(), reason));
        }
        FailureKind kind = isTransient(cause) ? FailureKind.CREDENTIALS_UNAVAILABLE : FailureKind.CREDENTIALS_REJECTED;
        return new BackendException(kind, "no credentials from %s: %s".formatted(found.name(), reason));
    }

    /** Returns whether the failure may pass by itself and needs no operator. */
    private static boolean isTransient(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < DEPTH && cause != null; i++) {
            if (cause instanceof AwsServiceException refusal) {
                return refusal.statusCode() >= 500 || refusal.isThrottlingException();
            }
            if (cause instanceof IOException || cause instanceof TimeoutException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** Returns all messages of the cause chain: the outer ones say which step failed, the inner ones why. */
    private static String reason(Throwable failure) {
        StringBuilder text = new StringBuilder();
        Throwable cause = failure;
        for (int i = 0; i < DEPTH && cause != null; i++) {
            String message = TransportReason.ofOne(cause);
            if (text.indexOf(message) < 0) {
                text.append(text.isEmpty() ? "" : ": ").append(message);
            }
            cause = cause.getCause();
        }
        return text.isEmpty() ? TransportReason.of(failure) : text.toString();
    }
}
