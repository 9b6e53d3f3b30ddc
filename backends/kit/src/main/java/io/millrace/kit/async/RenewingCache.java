package io.millrace.kit.async;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Caches one value that expires, such as credentials, and renews it in the background before it does. A caller waits
 * only for the first value, and for a new one after the cached one expired or was rejected. One fetch runs at a time,
 * for all who wait. Safe for use by any number of threads; never blocks.
 *
 * @param <T> the value
 */
public final class RenewingCache<T> {
    /**
     * The times at which a value is renewed, and at which it is no longer used.
     *
     * @param expiry {@link Instant#MAX} if the value does not expire
     */
    public record Lifetime(Instant renewal, Instant expiry) {
        /** Returns a lifetime whose renewal is this long before its end, or at half of it if that is shorter. */
        public static Lifetime renewedBeforeEnd(Instant now, Instant expiry, Duration ahead) {
            Duration half = Duration.between(now, expiry).dividedBy(2);
            return new Lifetime(expiry.minus(half.compareTo(ahead) < 0 ? half : ahead), expiry);
        }
    }

    private record CachedValue<T>(T value, Lifetime lifetime) {
        CachedValue<T> renewedAt(Instant renewal) {
            return new CachedValue<>(value, new Lifetime(renewal, lifetime.expiry()));
        }
    }

    private final Mono<T> source;
    private final BiFunction<T, Instant, Lifetime> lifetimes;
    private final Duration retryDelay;
    private final Consumer<Throwable> renewalFailed;
    private final InstantSource clock;
    private final SingleFlight<Class<?>, T> fetches = new SingleFlight<>();
    private final AtomicReference<@Nullable CachedValue<T>> cached = new AtomicReference<>();

    /**
     * Fetches nothing yet.
     *
     * @param source fetches a value on each subscription
     * @param lifetimes returns the lifetime of a value that was fetched at this time
     * @param retryDelay the time between failed renewals while the cached value is valid
     * @param renewalFailed receives the failure of a renewal while the cached value is still valid
     */
    public RenewingCache(
            Mono<T> source,
            BiFunction<T, Instant, Lifetime> lifetimes,
            Duration retryDelay,
            Consumer<Throwable> renewalFailed,
            InstantSource clock) {
        this.source = source;
        this.lifetimes = lifetimes;
        this.retryDelay = retryDelay;
        this.renewalFailed = renewalFailed;
        this.clock = clock;
    }

    /** Returns a valid value; fails as the source does. */
    public Mono<T> get() {
        return Mono.defer(() -> {
            CachedValue<T> current = cached.get();
            Instant now = clock.instant();
            if (current == null || !now.isBefore(current.lifetime().expiry())) {
                return fetch(current);
            }
            if (!now.isBefore(current.lifetime().renewal())) {
                renew(current, now);
            }
            return Mono.just(current.value());
        });
    }

    /** Drops the value if it is the cached one, because a server rejected it. */
    public void invalidate(T rejected) {
        CachedValue<T> current = cached.get();
        if (current != null && current.value().equals(rejected)) {
            cached.compareAndSet(current, null);
        }
    }

    /** Postpones the next renewal first, so that not every request tries a failing source. */
    private void renew(CachedValue<T> current, Instant now) {
        CachedValue<T> postponed = current.renewedAt(now.plus(retryDelay));
        if (cached.compareAndSet(current, postponed)) {
            fetch(postponed).subscribe(value -> {}, renewalFailed);
        }
    }

    /** @param before the cached value when it was found missing or old; a fetch that completed since is used */
    private Mono<T> fetch(@Nullable CachedValue<T> before) {
        return fetches.join(RenewingCache.class, () -> fetchUnlessReplaced(before))
                .map(SingleFlight.Joined::value);
    }

    private Mono<T> fetchUnlessReplaced(@Nullable CachedValue<T> before) {
        CachedValue<T> current = cached.get();
        return current == null || current.equals(before) ? source.doOnNext(this::store) : Mono.just(current.value());
    }

    private void store(T value) {
        cached.set(new CachedValue<>(value, lifetimes.apply(value, clock.instant())));
    }
}
