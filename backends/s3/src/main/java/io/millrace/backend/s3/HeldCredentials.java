package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
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
 * Holds the credentials that a {@link CredentialLink} gave and renews them in the background. A request waits only for the first
 * credentials, and for new ones if the held have expired. One question is under way at a time, on a thread that may block.
 *
 * <p>The SDK's providers keep what they fetched, too, and fetch anew minutes before it expires. So most renewals cost nothing; what
 * they are for is that this fetch is waited for here, and not by a request on an event loop.
 */
final class HeldCredentials implements SdkAutoCloseable {
    /** An operator who has changed a profile file waits no longer than this. */
    static final Duration RENEWAL = Duration.ofMinutes(1);

    /** Between two questions that fail while what is held is still good. */
    static final Duration PAUSE = Duration.ofSeconds(5);

    /** Longer than the SDK tries in all; a program of {@code credential_process} has no time of its own. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int DEPTH = 12;
    private static final Logger LOG = LoggerFactory.getLogger(HeldCredentials.class);

    private record Held(AwsCredentialsIdentity identity, Instant renewal) {
        boolean isExpired(Instant now) {
            return identity.expirationTime().map(end -> !now.isBefore(end)).orElse(false);
        }
    }

    private final String backend;
    private final Supplier<CredentialLink> chain;
    private final InstantSource clock;
    private final AtomicReference<@Nullable Mono<AwsCredentialsIdentity>> underWay = new AtomicReference<>();
    private volatile @Nullable CredentialLink link;
    private volatile @Nullable Held held;

    /**
     * Asks nobody yet.
     *
     * @param backend its name in the operator's file
     * @param chain finds the link, at the first question
     */
    HeldCredentials(String backend, Supplier<CredentialLink> chain, InstantSource clock) {
        this.backend = backend;
        this.chain = chain;
        this.clock = clock;
    }

    /** The credentials to sign with now; fails with a {@link BackendException} that names the link. */
    Mono<AwsCredentialsIdentity> identity() {
        return Mono.defer(() -> {
            Held current = held;
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
        CredentialLink found = link;
        if (found != null && found.provider() instanceof SdkAutoCloseable closeable) {
            IoUtils.closeQuietlyV2(closeable, null);
        }
    }

    /** The next renewal is put off at once, so that a link that fails is not asked by every request. */
    private void renew(Held current, Instant now) {
        Held putOff = new Held(current.identity(), now.plus(PAUSE));
        held = putOff;
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

    /** @param before what was held when they were found missing or old: a fetch that has ended since then will do */
    private Mono<AwsCredentialsIdentity> fetch(@Nullable Held before) {
        Mono<AwsCredentialsIdentity> mine = Mono.defer(() -> askUnlessReplaced(before))
                .doOnTerminate(() -> underWay.set(null))
                .cache();
        Mono<AwsCredentialsIdentity> others = underWay.compareAndExchange(null, mine);
        return others == null ? mine : others;
    }

    private Mono<AwsCredentialsIdentity> askUnlessReplaced(@Nullable Held before) {
        Held current = held;
        return current == null || current.equals(before) ? ask() : Mono.just(current.identity());
    }

    private Mono<AwsCredentialsIdentity> ask() {
        return Mono.<AwsCredentialsIdentity>fromCallable(() -> link().provider().resolveCredentials())
                .subscribeOn(Schedulers.boundedElastic())
                .timeout(PATIENCE)
                .doOnNext(this::hold)
                .onErrorMap(this::failure);
    }

    private CredentialLink link() {
        CredentialLink found = link;
        if (found == null) {
            found = chain.get();
            link = found;
        }
        return found;
    }

    private void hold(AwsCredentialsIdentity identity) {
        if (held == null) {
            LOG.info("Backend '{}' has credentials from {}", backend, link().name());
        }
        Instant now = clock.instant();
        // Those that live shorter than the renewal are asked for again in time.
        Duration half = identity.expirationTime()
                .map(end -> Duration.between(now, end).dividedBy(2))
                .orElse(RENEWAL);
        held = new Held(identity, now.plus(half.compareTo(RENEWAL) < 0 ? half : RENEWAL));
    }

    private BackendException failure(Throwable cause) {
        CredentialLink found = link;
        String reason = cause instanceof TimeoutException
                ? "no answer within %d s".formatted(PATIENCE.toSeconds())
                : reason(cause);
        if (found == null) {
            return new BackendException(Kind.CREDENTIALS_REJECTED, "no credentials: " + reason);
        }
        if (found.isLastResort()) {
            return new BackendException(
                    Kind.CREDENTIALS_REJECTED,
                    "there are no credentials: give access-key and secret-key, or anonymous: true, or set up one of the"
                            + " sources of the AWS SDKs; nothing is set up, and the %s gave none: %s"
                                    .formatted(found.name(), reason));
        }
        Kind kind = isTrouble(cause) ? Kind.UNAVAILABLE : Kind.CREDENTIALS_REJECTED;
        return new BackendException(kind, "no credentials from %s: %s".formatted(found.name(), reason));
    }

    /** Tells failures that may pass by themselves from those that need an operator. */
    private static boolean isTrouble(Throwable failure) {
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

    /** All words: the outer ones say which step failed, the inner ones why. */
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
