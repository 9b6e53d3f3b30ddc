package io.millrace.gateway.job;

import io.millrace.cache.BlockCache;
import io.millrace.cache.KeptObjects;
import io.millrace.gateway.freshness.CachedBytes;
import io.millrace.gateway.freshness.ReadAhead;
import io.millrace.gateway.freshness.Residents;
import java.time.InstantSource;
import java.util.function.Consumer;

/**
 * What jobs do with the cache.
 *
 * @param keep told what stays, each time that changes
 */
public record CacheWork(ReadAhead ahead, Residents residents, CachedBytes bytes, Consumer<KeptObjects> keep) {
    /** All of it with one cache. */
    public static CacheWork of(BlockCache cache, InstantSource clock) {
        return new CacheWork(new ReadAhead(cache, clock), new Residents(cache), new CachedBytes(cache), cache::keep);
    }
}
