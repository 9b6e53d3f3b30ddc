package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.ObjectPrefetcher.ListedState;
import io.millrace.gateway.objects.read.ObjectPrefetcher.PrefetchResult;
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
 * Fetches into the cache what clients ask for by HEAD requests with a range, in buckets that allow it: with lower
 * priority than all reads, and a bounded number of fetches per backend. Thread-safe.
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
     * Starts the fetch that a HEAD request asks for, unless it is under way. Returns its bytes; empty if too many
     * fetches are under way. A failure is logged; the next reader meets it. Of a fetch under way nothing is kept for
     * those who ask for it again, however many.
     *
     * @param bytes the requested range, resolved
     * @param tier that of the request: its party is charged for the fetch
     * @param onFailure called if the fetch that this starts fails, or if too many are under way
     */
    public Optional<ByteRange> start(
            BucketView bucket,
            ReadRequest request,
            ObjectMetadata object,
            ByteRange bytes,
            TierRequest tier,
            Runnable onFailure) {
        boolean whole = request.selection() instanceof ByteSelection.RangeSelection range
                && range.spec().equals(WHOLE);
        ByteRange wanted = whole ? new ByteRange(0, object.size() - 1) : bytes;
        Fetch fetch = new Fetch(object.id(), object.head().version(), wanted);
        Semaphore free = ofBackend.computeIfAbsent(bucket.backendName(), name -> new Semaphore(MAX_PER_BACKEND));
        if (underWay.contains(fetch)) {
            return Optional.of(wanted);
        }
        if (!free.tryAcquire()) {
            onFailure.run();
            return Optional.empty();
        }
        if (!underWay.add(fetch)) {
            // Another request has just begun it.
            free.release();
            return Optional.of(wanted);
        }
        var unused = run(bucket, object, fetch, () -> {
                    underWay.remove(fetch);
                    free.release();
                })
                .contextWrite(tier::writeTo)
                .subscribe(fetched -> {}, failure -> onFailure.run());
        return Optional.of(wanted);
    }

    /** @param onEnd called before the outcome is known to others: whoever tries again then begins anew */
    private Mono<PrefetchResult> run(BucketView bucket, ObjectMetadata object, Fetch fetch, Runnable onEnd) {
        // The HEAD has just learned this, so the object is not asked for again.
        ListedState known = new ListedState(object.size(), object.head().eTag());
        RangeSpec range =
                new RangeSpec.Bounded(fetch.bytes().first(), fetch.bytes().last());
        return Mono.defer(() -> prefetcher
                        .orElseThrow()
                        .prefetch(
                                bucket,
                                fetch.id().object(),
                                Optional.of(range),
                                Optional.of(known),
                                Long.MAX_VALUE / 2,
                                bytes -> Mono.empty(),
                                (bytes, brought) -> {}))
                .doOnError(failure -> log.debug("The prefetch of {} by a HEAD failed", fetch.id(), failure))
                .doOnTerminate(onEnd);
    }
}
