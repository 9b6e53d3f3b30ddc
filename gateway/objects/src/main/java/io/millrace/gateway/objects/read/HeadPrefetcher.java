package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.ObjectPrefetcher.ListedState;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Fetches into the cache what clients ask for by HEAD requests with a range, in buckets that allow it: with lower priority than all
 * reads, and a bounded number of fetches per backend. Thread-safe.
 */
public final class HeadPrefetcher {
    /** The maximum of concurrent fetches per backend, so that one that hangs leaves the others theirs. */
    static final int MAX_PER_BACKEND = 64;

    private static final Logger log = LoggerFactory.getLogger(HeadPrefetcher.class);

    /** The range that asks for the whole object. */
    private static final RangeSpec WHOLE = new RangeSpec.Bounded(0, 0);

    private final Optional<ObjectPrefetcher> prefetcher;
    private final Set<Fetch> underWay = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<String, Semaphore> ofBackend = new ConcurrentHashMap<>();

    /** @param cache empty if nothing can be prefetched */
    public HeadPrefetcher(Optional<BlockCache> cache, ObjectSourceFactory sources, InstantSource clock) {
        this.prefetcher =
                cache.map(blocks -> new ObjectPrefetcher(blocks.reader(), blocks.prefetcher(), sources, clock));
    }

    /** The bytes of one version that are fetched. */
    private record Fetch(ObjectId id, ObjectVersion version, ByteRange bytes) {}

    /** Returns whether a HEAD request for an object with this metadata asks for a fetch that its bucket allows. */
    public boolean isAskedFor(BucketView bucket, ReadRequest request, ObjectMetadata object) {
        return prefetcher.isPresent()
                && bucket.settings().prefetchOnHead()
                && request.selection() instanceof ByteSelection.RangeSelection
                && request.versionId().isEmpty()
                && bucket.mayCache(request.object(), object.size());
    }

    /**
     * Starts the fetch that a HEAD request asks for, unless it is under way. Returns its bytes; empty if too many fetches are under way.
     * A failure is only logged; the next reader meets it.
     *
     * @param bytes the requested range, resolved
     */
    public Optional<ByteRange> start(BucketView bucket, ReadRequest request, ObjectMetadata object, ByteRange bytes) {
        boolean whole = request.selection() instanceof ByteSelection.RangeSelection range
                && range.spec().equals(WHOLE);
        ByteRange wanted = whole ? new ByteRange(0, object.size() - 1) : bytes;
        Fetch fetch = new Fetch(object.id(), object.head().version(), wanted);
        Semaphore free = ofBackend.computeIfAbsent(bucket.backendName(), name -> new Semaphore(MAX_PER_BACKEND));
        if (underWay.contains(fetch)) {
            return Optional.of(wanted);
        }
        if (!free.tryAcquire()) {
            return Optional.empty();
        }
        if (underWay.add(fetch)) {
            begin(bucket, object, fetch, free);
        } else {
            free.release();
        }
        return Optional.of(wanted);
    }

    private void begin(BucketView bucket, ObjectMetadata object, Fetch fetch, Semaphore free) {
        // The HEAD has just learned this, so the object is not asked for again.
        ListedState known = new ListedState(object.size(), object.head().eTag());
        RangeSpec range =
                new RangeSpec.Bounded(fetch.bytes().first(), fetch.bytes().last());
        Mono.defer(() -> prefetcher
                        .orElseThrow()
                        .prefetch(
                                bucket,
                                fetch.id().object(),
                                Optional.of(range),
                                Optional.of(known),
                                Long.MAX_VALUE / 2,
                                bytes -> Mono.empty(),
                                (bytes, brought) -> {}))
                .doFinally(end -> {
                    underWay.remove(fetch);
                    free.release();
                })
                .subscribe(
                        fetched -> {},
                        failure -> log.debug("The prefetch of {} by a HEAD failed", fetch.id(), failure));
    }
}
