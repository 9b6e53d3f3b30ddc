package io.millrace.gateway.objects.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.BackendException;
import io.millrace.cache.async.ValidatedPut;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.freshness.CacheStatus;
import io.millrace.gateway.objects.freshness.FreshnessLifetime;
import io.millrace.gateway.objects.freshness.RequestCacheControl;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/** Keys that were asked for and are not there, and when that was. Safe for use by any number of threads. */
final class NegativeCache {
    /** Bytes of the heap: some 100,000 keys. */
    private static final long MOST_BYTES = 32 << 20;

    private final InstantSource clock;

    private final Cache<ObjectId, Optional<Long>> since = Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher(NegativeCache::weight)
            .build();

    NegativeCache(InstantSource clock) {
        this.clock = clock;
    }

    /** For how many milliseconds a key is still taken to be missing; none if it is not. */
    OptionalLong left(ObjectId id, FreshnessSettings freshness, RequestCacheControl client) {
        Optional<Long> asked = since.asMap().getOrDefault(id, Optional.empty());
        if (asked.isEmpty() || freshness.mode() != FreshnessSettings.Mode.TTL) {
            return OptionalLong.empty();
        }
        long age = clock.millis() - asked.get();
        long left = FreshnessLifetime.millis(freshness.negativeTtl(), id.hashCode()) - age;
        return client.accepts(age) && age >= 0 && left > 0 ? OptionalLong.of(left) : OptionalLong.empty();
    }

    /**
     * A question was answered by an error, just now.
     *
     * @param counts whether nothing was changed since it was sent. What changes keys later is seen by it, or forgets this
     */
    void remember(ObjectId id, BackendException failure, BooleanSupplier counts) {
        // A delete marker has fields of its own to tell, which only the backend knows.
        if (failure.kind() == BackendException.FailureKind.NO_SUCH_KEY && CacheStatus.isAllOf(failure.headers())) {
            ValidatedPut.put(since.asMap(), id, clock.millis(), counts);
        }
    }

    void forget(ObjectId id) {
        since.invalidate(id);
    }

    void forget(ObjectPrefix below) {
        since.asMap().keySet().removeIf(below::holds);
    }

    static int weight(ObjectId id, Optional<Long> since) {
        return 200 + 2 * Objects.requireNonNull(id).characters();
    }
}
