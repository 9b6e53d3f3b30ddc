package io.millrace.auth.session;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.auth.policy.RequestSource;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds sign-ins, which whoever can connect may begin: their rate by address, their time, and one use of each.
 * Thread-safe.
 */
public final class SignInLimiter {
    /** Time that a person has to sign in at the provider. */
    public static final Duration LONGEST = Duration.ofMinutes(10);

    /** A person takes two for a sign-in. */
    private static final int REQUESTS_A_MINUTE = 30;

    private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);
    private static final int MOST_ADDRESSES = 10_000;
    private static final int MOST_USED = 10_000;

    private final InstantSource clock;
    private final Cache<Long, AtomicInteger> requests;
    private final Cache<String, Boolean> used;

    public SignInLimiter(InstantSource clock) {
        this.clock = clock;
        this.requests = remembering(Duration.ofMinutes(1), MOST_ADDRESSES);
        this.used = remembering(LONGEST.plus(CLOCK_SKEW), MOST_USED);
    }

    private <K, V> Cache<K, V> remembering(Duration lifetime, int most) {
        return Caffeine.newBuilder()
                .ticker(() -> clock.millis() * 1_000_000)
                .expireAfterWrite(lifetime)
                .maximumSize(most)
                .executor(Runnable::run)
                .build();
    }

    /** Counts a request of a client and returns whether it may be served. */
    public boolean admits(RequestSource client) {
        return requests.get(client.network(), first -> new AtomicInteger()).incrementAndGet() <= REQUESTS_A_MINUTE;
    }

    /** Returns whether a sign-in may end now: in its time, and once. */
    public boolean mayEnd(PendingSignIn pending) {
        Instant now = clock.instant();
        return !pending.startedAt().isAfter(now.plus(CLOCK_SKEW))
                && now.isBefore(pending.startedAt().plus(LONGEST))
                && used.asMap().putIfAbsent(pending.state(), true) == null;
    }
}
