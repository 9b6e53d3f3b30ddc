package io.millrace.gateway.jobs;

import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheOccupancy;
import io.millrace.cache.PinPredicate;
import io.millrace.gateway.objects.read.CacheBackendComparison;
import io.millrace.gateway.objects.read.CacheLease;
import io.millrace.gateway.objects.read.CacheResidency;
import io.millrace.gateway.objects.read.ObjectPrefetcher;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.read.ResidentObjectReader;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The parts of the cache that jobs use.
 *
 * @param occupancy returns the size of the cache now
 * @param pin receives the pinned objects at each change
 */
public record JobCacheAccess(
        ObjectPrefetcher ahead,
        CacheResidency residents,
        CacheBackendComparison bytes,
        ResidentObjectReader objects,
        Supplier<CacheOccupancy> occupancy,
        Consumer<PinPredicate> pin) {
    /** Creates the access to one cache of a gateway that has no others beside it. */
    public static JobCacheAccess of(BlockCache cache, ObjectSourceFactory sources, InstantSource clock) {
        return of(cache, sources, clock, CacheLease.ALWAYS);
    }

    /** Creates the access to one cache. */
    public static JobCacheAccess of(
            BlockCache cache, ObjectSourceFactory sources, InstantSource clock, CacheLease lease) {
        return new JobCacheAccess(
                new ObjectPrefetcher(cache.reader(), cache.prefetcher(), sources, clock),
                new CacheResidency(cache.reader(), cache.inventory()),
                new CacheBackendComparison(cache.inventory()),
                new ResidentObjectReader(cache.reader(), sources, clock, lease),
                cache.administration()::stats,
                cache.inventory()::pin);
    }
}
