package io.millrace.gateway.jobs.task;

import io.millrace.cache.BlockCache;
import io.millrace.cache.PinPredicate;
import io.millrace.gateway.objects.read.ObjectPrefetcher;
import io.millrace.gateway.objects.residency.CacheResidency;
import io.millrace.gateway.objects.residency.CachedBytesVerifier;
import java.time.InstantSource;
import java.util.function.Consumer;

/**
 * The parts of the cache that jobs use.
 *
 * @param keep receives the pinned objects at each change
 */
public record JobCacheAccess(
        ObjectPrefetcher ahead, CacheResidency residents, CachedBytesVerifier bytes, Consumer<PinPredicate> keep) {
    /** Creates the access to one cache. */
    public static JobCacheAccess of(BlockCache cache, InstantSource clock) {
        return new JobCacheAccess(
                new ObjectPrefetcher(cache.reader(), cache.prefetcher(), clock),
                new CacheResidency(cache.reader(), cache.inventory()),
                new CachedBytesVerifier(cache.inventory()),
                cache.inventory()::pin);
    }
}
