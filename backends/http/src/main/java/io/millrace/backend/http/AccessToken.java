package io.millrace.backend.http;

import io.millrace.kit.async.RenewingCache;
import io.millrace.kit.async.RenewingCache.Lifetime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** A bearer token and the time at which it expires. Its text form does not reveal it. */
public record AccessToken(String value, Instant expiry) {
    /**
     * Clouds hand out tokens for an hour and keep one of their own until five minutes before its end, so an earlier
     * renewal may bring the same.
     */
    private static final Duration RENEWAL_AHEAD = Duration.ofMinutes(5);

    private static final Duration RETRY_DELAY = Duration.ofSeconds(10);

    /**
     * @throws IllegalArgumentException if {@code value} could not stand in a header
     */
    public AccessToken {
        if (value.isEmpty() || !value.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw new IllegalArgumentException("not an access token");
        }
    }

    /**
     * Returns a cache that fetches nothing yet.
     *
     * @param source fetches a token on each subscription
     * @param renewalFailed receives the failure of a renewal while the cached token is still valid
     */
    public static RenewingCache<AccessToken> cache(
            Mono<AccessToken> source, Consumer<Throwable> renewalFailed, InstantSource clock) {
        return new RenewingCache<>(
                source,
                (token, now) -> Lifetime.renewedBeforeEnd(now, token.expiry(), RENEWAL_AHEAD),
                RETRY_DELAY,
                renewalFailed,
                clock);
    }

    /** Returns the value of an {@code Authorization} header. */
    public String toHeader() {
        return "Bearer " + value;
    }

    @Override
    public String toString() {
        return "AccessToken[expiry=" + expiry + "]";
    }
}
