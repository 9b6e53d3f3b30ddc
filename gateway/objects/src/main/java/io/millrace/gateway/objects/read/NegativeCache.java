package io.millrace.gateway.objects.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.BackendException;
import io.millrace.cache.metadata.InvalidationSafePut;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/** Remembers keys that a backend reported as missing, and when. Thread-safe. */
final class NegativeCache {
    /** The maximum heap memory: some 100,000 keys. */
    private static final long MOST_BYTES = 32 << 20;

    private final InstantSource clock;

    private final Cache<ObjectId, Optional<Long>> since = Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher(NegativeCache::weight)
            .build();

    NegativeCache(InstantSource clock) {
        this.clock = clock;
    }

    /** Returns for how many more milliseconds a key counts as missing; empty if it does not. */
    OptionalLong remainingMillis(ObjectId id, FreshnessSettings freshness, RequestCacheControl client) {
        Optional<Long> recordedAt = since.asMap().getOrDefault(id, Optional.empty());
        if (recordedAt.isEmpty() || freshness.mode() != FreshnessSettings.Mode.TTL) {
            return OptionalLong.empty();
        }
        long age = clock.millis() - recordedAt.get();
        long left = FreshnessLifetime.millis(freshness.negativeTtl(), id.hashCode()) - age;
        return client.accepts(age) && age >= 0 && left > 0 ? OptionalLong.of(left) : OptionalLong.empty();
    }

    /**
     * Remembers a key whose request has just failed as missing.
     *
     * @param counts returns whether nothing was changed since the request was sent; a later change sees the entry and
     *     removes it
     */
    void remember(ObjectId id, BackendException failure, BooleanSupplier counts) {
        // The response for a delete marker has headers of its own, which only the backend knows.
        if (failure.kind() == BackendException.FailureKind.NO_SUCH_KEY
                && failure.headers().fields().isEmpty()) {
            InvalidationSafePut.put(since.asMap(), id, clock.millis(), counts);
        }
    }

    void invalidate(ObjectId id) {
        since.invalidate(id);
    }

    void invalidate(ObjectPrefix below) {
        since.asMap().keySet().removeIf(below::holds);
    }

    void invalidateAll() {
        since.asMap().clear();
    }

    static int weight(ObjectId id, Optional<Long> since) {
        return 200 + 2 * Objects.requireNonNull(id).characters();
    }
}
