package io.millrace.backend.s3.credentials;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
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
 * Caches the credentials of a {@link CredentialSource} and renews them in the background. A request waits only for the first
 * credentials, and for new ones after the cached ones expired. One fetch runs at a time, on a thread that may block.
 *
 * <p>The SDK's providers cache too, and fetch again minutes before expiry, so most renewals cost nothing. A renewal here keeps that
 * fetch off the event loops of requests.
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

    private record CachedIdentity(AwsCredentialsIdentity identity, Instant renewal) {
        boolean isExpired(Instant now) {
            return identity.expirationTime().map(end -> !now.isBefore(end)).orElse(false);
        }
    }

    private final String backend;
    private final Supplier<CredentialSource> sourceFinder;
    private final InstantSource clock;
    private final AtomicReference<@Nullable Mono<AwsCredentialsIdentity>> inFlight = new AtomicReference<>();
    private volatile @Nullable CredentialSource source;
    private volatile @Nullable CachedIdentity cached;

    /**
     * Fetches nothing yet.
     *
     * @param backend its name in the settings
     * @param chain finds the source, at the first fetch
     */
    RefreshingCredentials(String backend, Supplier<CredentialSource> chain, InstantSource clock) {
        this.backend = backend;
        this.sourceFinder = chain;
        this.clock = clock;
    }

    /** Returns the current credentials; fails with a {@link BackendException} that names the source. */
    Mono<AwsCredentialsIdentity> identity() {
        return Mono.defer(() -> {
            CachedIdentity current = cached;
            Instant now = clock.instant();
            if (current == null || current.isExpired(now)) {
                return fetch(current);
            }
            if (!now.isBefore(current.renewal())) {
                renew(current, now);
            }
            return Mono.just(current.identity());
        });
    }

    @Override
    public void close() {
        CredentialSource found = source;
        if (found != null && found.provider() instanceof SdkAutoCloseable closeable) {
            IoUtils.closeQuietlyV2(closeable, null);
        }
    }

    /** Postpones the next renewal first, so that not every request tries a failing source. */
    private void renew(CachedIdentity current, Instant now) {
        CachedIdentity putOff = new CachedIdentity(current.identity(), now.plus(RETRY_DELAY));
        cached = putOff;
        fetch(putOff)
                .subscribe(
                        identity -> {},
                        failure -> LOG.warn(
                                "Backend '{}' keeps the credentials it has{}: {}",
                                backend,
                                current.identity()
                                        .expirationTime()
                                        .map(end -> ", which expire at " + end)
                                        .orElse(""),
                                failure.getMessage()));
    }

    /** @param before the cached credentials when they were found missing or old; a fetch that completed since is used */
    private Mono<AwsCredentialsIdentity> fetch(@Nullable CachedIdentity before) {
        Mono<AwsCredentialsIdentity> mine = Mono.defer(() -> resolveUnlessReplaced(before))
                .doOnTerminate(() -> inFlight.set(null))
                .cache();
        Mono<AwsCredentialsIdentity> others = inFlight.compareAndExchange(null, mine);
        return others == null ? mine : others;
    }

    private Mono<AwsCredentialsIdentity> resolveUnlessReplaced(@Nullable CachedIdentity before) {
        CachedIdentity current = cached;
        return current == null || current.equals(before) ? resolve() : Mono.just(current.identity());
    }

    private Mono<AwsCredentialsIdentity> resolve() {
        return Mono.<AwsCredentialsIdentity>fromCallable(() -> link().provider().resolveCredentials())
                .subscribeOn(Schedulers.boundedElastic())
                .timeout(TIMEOUT)
                .doOnNext(this::store)
                .onErrorMap(this::failure);
    }

    private CredentialSource link() {
        CredentialSource found = source;
        if (found == null) {
            found = sourceFinder.get();
            source = found;
        }
        return found;
    }

    private void store(AwsCredentialsIdentity identity) {
        if (cached == null) {
            LOG.info("Backend '{}' has credentials from {}", backend, link().name());
        }
        Instant now = clock.instant();
        // Short-lived credentials are renewed at half their lifetime.
        Duration half = identity.expirationTime()
                .map(end -> Duration.between(now, end).dividedBy(2))
                .orElse(RENEWAL);
        cached = new CachedIdentity(identity, now.plus(half.compareTo(RENEWAL) < 0 ? half : RENEWAL));
    }

    private BackendException failure(Throwable cause) {
        CredentialSource found = source;
        String reason = cause instanceof TimeoutException
                ? "no response within %d s".formatted(TIMEOUT.toSeconds())
                : reason(cause);
        if (found == null) {
            return new BackendException(FailureKind.CREDENTIALS_REJECTED, "no credentials: " + reason);
        }
        if (found.isLastResort()) {
            return new BackendException(
                    FailureKind.CREDENTIALS_REJECTED,
                    "there are no credentials: give access-key and secret-key, or anonymous: true, or set up one of the"
                            + " sources of the AWS SDKs; nothing is set up, and the %s gave none: %s"
                                    .formatted(found.name(), reason));
        }
        FailureKind kind = isTransient(cause) ? FailureKind.UNAVAILABLE : FailureKind.CREDENTIALS_REJECTED;
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
            String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
            if (text.indexOf(message) < 0) {
                text.append(text.isEmpty() ? "" : ": ").append(message);
            }
            cause = cause.getCause();
        }
        return text.toString();
    }
}
