package io.millrace.auth.session;

import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import io.millrace.kit.async.SharedRoom;
import io.millrace.kit.async.SingleFlight;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The keys of one identity provider, fetched when a token needs them. Whoever can connect may send tokens with any key
 * id, so one fetch runs at a time, its time and the number of tokens that wait for it are bounded, and it pauses after
 * failures. A token whose key is known waits for nothing. Thread-safe; never blocks.
 */
final class IssuerKeys {
    /** The time for which keys are used. */
    static final Duration LIFETIME = Duration.ofMinutes(5);

    /** The age from which a token lets keys be fetched ahead. */
    private static final Duration RENEWAL = Duration.ofMinutes(4);

    /** The time in which keys are fetched twice at most, whatever key ids tokens name. */
    static final Duration FETCH_INTERVAL = Duration.ofSeconds(30);

    /** The pause after a failed fetch, in which tokens with an unknown key fail at once. */
    static final Duration AFTER_FAILURE = Duration.ofSeconds(10);

    /**
     * The tokens that may wait for a fetch, no network's more than are left to others; each is a request of at most 32
     * KiB.
     */
    static final int MOST_WAITING = 256;

    private final Mono<JWKSet> source;
    private final InstantSource clock;
    private final SingleFlight<Class<?>, JWKSet> fetches = new SingleFlight<>();
    private final SharedRoom<Long> waiting = new SharedRoom<>(MOST_WAITING);
    private volatile @Nullable FetchedKeys fetched;
    private Instant lastFetch = Instant.MIN;
    private Instant fetchBefore = Instant.MIN;
    private Instant pausedUntil = Instant.MIN;

    /** @param source fetches the keys on each subscription */
    IssuerKeys(Mono<JWKSet> source, InstantSource clock) {
        this.source = source;
        this.clock = clock;
    }

    private record FetchedKeys(JWKSet keys, Instant at) {
        boolean isOlderThan(Duration age, Instant now) {
            return !now.isBefore(at.plus(age));
        }
    }

    /**
     * Returns the keys: those that are known if the selected one is among them, else those of the next fetch.
     *
     * @param network that of the client
     * @return fails with a WebIdentityException of reason ISSUER_UNREACHABLE if it fails, or keys were fetched too
     *     recently
     */
    Mono<JWKSet> with(JWKSelector wanted, long network) {
        return Mono.defer(() -> {
            FetchedKeys known = fetched;
            Instant now = clock.instant();
            if (known == null
                    || known.isOlderThan(LIFETIME, now)
                    || wanted.select(known.keys()).isEmpty()) {
                return waitFor(fetch(known), network);
            }
            if (known.isOlderThan(RENEWAL, now)) {
                fetch(known).subscribe(keys -> {}, usedUntilTheyExpire -> {});
            }
            return Mono.just(known.keys());
        });
    }

    private Mono<JWKSet> waitFor(Mono<JWKSet> fetch, long network) {
        return Mono.using(
                () -> {
                    if (!waiting.take(network, 1)) {
                        throw OidcIssuer.unreachable();
                    }
                    return network;
                },
                counted -> fetch,
                counted -> waiting.release(counted, 1));
    }

    /** @param before what was known when it was found missing or old; what a fetch has found since is used */
    private Mono<JWKSet> fetch(@Nullable FetchedKeys before) {
        return fetches.join(IssuerKeys.class, () -> {
                    FetchedKeys since = fetched;
                    if (since != null && !since.equals(before)) {
                        return Mono.just(since.keys());
                    }
                    return mayBegin() ? begin() : Mono.error(OidcIssuer.unreachable());
                })
                .map(SingleFlight.Joined::value);
    }

    private Mono<JWKSet> begin() {
        return source.timeout(IssuerHttpClient.LONGEST)
                .doOnNext(keys -> fetched = new FetchedKeys(keys, clock.instant()))
                .doOnError(failure -> pause())
                .onErrorMap(failure -> OidcIssuer.unreachable());
    }

    private synchronized boolean mayBegin() {
        Instant now = clock.instant();
        if (now.isBefore(pausedUntil)
                || (fetchBefore.isAfter(Instant.MIN) && now.isBefore(fetchBefore.plus(FETCH_INTERVAL)))) {
            return false;
        }
        fetchBefore = lastFetch;
        lastFetch = now;
        return true;
    }

    private synchronized void pause() {
        pausedUntil = clock.instant().plus(AFTER_FAILURE);
    }
}
