package io.millrace.gateway.s3.bucket;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.kit.async.RateLimiter;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * The limit of fetches of CORS rules for buckets that nobody need have named in the settings: anybody can ask for the
 * rules of any such name, and each costs the backend a request. One network that asks for many leaves others theirs.
 * Thread-safe.
 */
public final class GuessLimiter {
    /** The fetches a second for all networks. */
    private static final int MAX_GUESSES = 100;

    /** The fetches a second for one network. */
    private static final int MAX_GUESSES_OF_ONE = 10;

    /** The most networks that are remembered. One that is forgotten may ask for as many at once as a new one. */
    private static final int MOST_NETWORKS = 10_000;

    private static final Duration FORGOTTEN_AFTER = Duration.ofSeconds(10);

    private final OptionalLong perSecondOfOne;
    private final RateLimiter all;
    private final Cache<Long, RateLimiter> networks = Caffeine.newBuilder()
            .maximumSize(MOST_NETWORKS)
            .expireAfterAccess(FORGOTTEN_AFTER)
            .executor(Runnable::run)
            .build();

    private GuessLimiter(OptionalLong perSecond, OptionalLong perSecondOfOne) {
        this.all = RateLimiter.of(perSecond);
        this.perSecondOfOne = perSecondOfOne;
    }

    static GuessLimiter standard() {
        return new GuessLimiter(OptionalLong.of(MAX_GUESSES), OptionalLong.of(MAX_GUESSES_OF_ONE));
    }

    /** Returns a limiter that admits all. */
    public static GuessLimiter unlimited() {
        return new GuessLimiter(OptionalLong.empty(), OptionalLong.empty());
    }

    /** Counts a fetch and returns true; or returns false, because it is beyond a limit. */
    synchronized boolean admits(long network) {
        RateLimiter own = networks.get(network, first -> RateLimiter.of(perSecondOfOne));
        if (!own.debt().isZero() || !all.debt().isZero()) {
            return false;
        }
        own.charge(1);
        all.charge(1);
        return true;
    }
}
