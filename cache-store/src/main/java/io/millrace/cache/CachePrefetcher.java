package io.millrace.cache;

import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.cache.fill.FillManager;
import io.millrace.cache.fill.FillManager.Origin;
import io.millrace.cache.fill.FillMemoryBudget;
import io.millrace.cache.fill.OpeningFill;
import io.millrace.cache.fill.PrefetchListener;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Stores objects in the cache before clients read them: fetched from their backend at low priority, or taken from the
 * body of a write. Safe for use by any number of threads.
 */
public final class CachePrefetcher {
    private final ObjectFetcher fetcher;
    private final VersionFillSourceFactory versions;
    private final FillManager fills;
    private final FillMemoryBudget memory;

    CachePrefetcher(
            ObjectFetcher fetcher, VersionFillSourceFactory versions, FillManager fills, FillMemoryBudget memory) {
        this.fetcher = fetcher;
        this.versions = versions;
        this.fills = fills;
        this.memory = memory;
    }

    /** Fetches an object of which no metadata is cached, as {@link CacheReader#open} does. */
    public Mono<UncachedOpenResult> open(ObjectId id, ByteSelection wanted, ObjectSource source) {
        return fetcher.open(id, wanted, source, Origin.PREFETCHED);
    }

    /**
     * Fetches the blocks of a range that are not cached; reads none that is. Returns the bytes of the blocks that came
     * meanwhile, whoever requested them. Fails as {@link CacheReader#read} does, and if no disk takes a block.
     *
     * @param opening the fill that the caller's {@link #open} began, if any
     */
    public Mono<Long> prefetch(
            ObjectMetadata object,
            ByteRange range,
            ObjectSource source,
            Optional<OpeningFill> opening,
            PrefetchListener progress) {
        return fills.prefetch(versions.create(object, source), range, opening, progress);
    }

    /**
     * Caches an object that was just written: requests its metadata and, if the backend still has that version, turns
     * the body into blocks without fetching it. Concurrent readers wait for that response. Must be subscribed to once;
     * continues if cancelled.
     *
     * @param written the ETag that the backend returned for the write
     * @param body the whole body, owned by the cache from now on
     */
    public Mono<Void> fillWritten(ObjectId id, ETag written, List<ByteBuf> body, ObjectSource source) {
        return fetcher.fill(id, written, body, source);
    }

    /**
     * Limits the memory of prefetches, and with it their speed.
     *
     * @param share of their usual memory, 0 to 1; with 0 one block is fetched at a time
     */
    public void throttle(double share) {
        memory.throttlePrefetch(share);
    }
}
