package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheReader;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.UncachedOpenResult;
import io.millrace.cache.WriteFence;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.fill.OpeningFill;
import io.millrace.cache.fill.SourceTraits;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.CacheStatus.Forward;
import io.millrace.kit.async.ImmediateMono;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/**
 * Finds the current metadata of an object for a read: from the cache while it is fresh, otherwise from the backend.
 * Thread-safe.
 */
public final class CurrentObjectFinder {
    private final Optional<CacheReader> reader;
    private final Optional<WriteFence> writeFence;
    private final ObjectSourceFactory sources;
    private final InstantSource clock;
    private final CacheLease lease;
    private final PartLocator parts;
    private final MissingBucketDetector missingBuckets;
    private final BackgroundRefresher refresher;
    private final ListCache lists;
    private final NegativeCache negativeCache;
    private final CacheInvalidation invalidation;
    private final ReadPreviewer previewer;
    private final MadeObjectFinder made;

    /** @param cache empty if all reads bypass the cache */
    public CurrentObjectFinder(Optional<BlockCache> cache, ObjectSourceFactory sources, InstantSource clock) {
        this(cache, sources, clock, CacheLease.ALWAYS);
    }

    /** @param cache empty if all reads bypass the cache */
    public CurrentObjectFinder(
            Optional<BlockCache> cache, ObjectSourceFactory sources, InstantSource clock, CacheLease lease) {
        this.reader = cache.map(BlockCache::reader);
        this.writeFence = cache.map(BlockCache::writeFence);
        this.sources = sources;
        this.clock = clock;
        this.lease = lease;
        this.parts = new PartLocator();
        this.missingBuckets = new MissingBucketDetector();
        this.refresher = new BackgroundRefresher();
        this.lists = new ListCache(clock, refresher, Schedulers.parallel());
        this.negativeCache = new NegativeCache(clock);
        this.invalidation = new CacheInvalidation(writeFence, negativeCache, missingBuckets, lists);
        this.previewer = new ReadPreviewer(reader, writeFence, negativeCache, clock, lease);
        this.made = new MadeObjectFinder(reader, cache.map(BlockCache::prefetcher));
    }

    private CurrentObjectFinder(CurrentObjectFinder of, ObjectSourceFactory sources) {
        this.reader = of.reader;
        this.writeFence = of.writeFence;
        this.sources = sources;
        this.clock = of.clock;
        this.lease = of.lease;
        this.parts = of.parts;
        this.missingBuckets = of.missingBuckets;
        this.refresher = of.refresher;
        this.lists = of.lists;
        this.negativeCache = of.negativeCache;
        this.invalidation = of.invalidation;
        this.previewer = of.previewer;
        this.made = of.made;
    }

    /** Returns a finder that remembers what this one does, and fetches from other sources. */
    public CurrentObjectFinder from(ObjectSourceFactory others) {
        return new CurrentObjectFinder(this, others);
    }

    /** The context of one lookup. */
    private record Lookup(
            CacheReader reader,
            WriteFence writeFence,
            ObjectSourceFactory sources,
            ObjectId id,
            BucketView bucket,
            ReadRequest request,
            RequestCacheControl client,
            boolean bodyWanted) {
        FreshnessSettings freshness() {
            return bucket.freshness();
        }

        boolean isStrict() {
            return freshness().mode() == FreshnessSettings.Mode.STRICT || client.requiresRevalidation();
        }

        /**
         * Returns whether metadata without checksums, as a fetch of a range brings it, has to be completed by a HEAD.
         * Clients compare checksums where there are some, and most ask for them always: it must be worth the request.
         */
        boolean isCompleteWanted() {
            return request.checksums()
                    && request.selection() instanceof ByteSelection.WholeObject
                    && (!bodyWanted || bucket.backend().capabilities().contains(Capability.CHECKSUMS));
        }

        /**
         * Returns the source of the object for the request in a subscriber's context. What another gateway remembers
         * may be older than the client accepts.
         */
        ObjectSource source(ContextView context) {
            boolean isRevalidated = isStrict() || client.maxAge().isPresent();
            return sources.create(bucket, id, TierRequest.from(context).revalidating(isRevalidated));
        }

        /**
         * Returns whether a request must be sent after this read. One to another gateway that is under way may have
         * been sent for a reader who accepts what that remembers.
         */
        boolean joinsNone(ObjectSource source) {
            return isStrict() || (client.maxAge().isPresent() && source.traits().place() == SourceTraits.Place.PEER);
        }

        CurrentObject.Cached current(ObjectMetadata head, CacheStatus status, boolean forwarded) {
            return current(head, status, forwarded, Optional.empty());
        }

        CurrentObject.Cached current(
                ObjectMetadata head, CacheStatus status, boolean forwarded, Optional<OpeningFill> opening) {
            return new CurrentObject.Cached(reader, head, this::source, status, forwarded, opening);
        }
    }

    /**
     * Returns the current state of an object for a read. It is looked for in memory now, and known at once if it is
     * there and fresh; the rest begins with the subscription.
     *
     * @param client the cache directives of the request
     * @param bodyWanted whether the bytes are wanted too; a miss begins to fetch them then
     */
    public Mono<CurrentObject> find(
            BucketView bucket, ReadRequest request, RequestCacheControl client, boolean bodyWanted) {
        if (bucket.backend() instanceof LocalObjectFinder own) {
            return own.find(request, client);
        }
        if (reader.isEmpty()) {
            return Mono.just(new CurrentObject.Bypass(Optional.empty()));
        }
        if (!bucket.mayCache(request.object())) {
            return Mono.just(bypass(client));
        }
        if (request.selection() instanceof ByteSelection.PartSelection part) {
            Mono<CurrentObject> whole = find(bucket, PartLocator.wholeOf(request), client, false);
            return parts.locate(bucket, request, part, client.onlyIfCached(), whole)
                    .onErrorResume(PartLocator::isOfAnotherVersion, e -> revalidate(bucket, request));
        }
        // A write under the alias may leave this entry unchanged.
        RequestCacheControl wanted =
                bucket.alias(request.object()).isPresent() ? client.requiringRevalidation() : leased(bucket, client);
        Lookup lookup = lookup(bucket, request, wanted, bodyWanted);
        Mono<ObjectMetadata> found = lookup.reader().find(lookup.id());
        @Nullable ObjectMetadata inMemory = ImmediateMono.valueOf(found);
        return inMemory != null
                ? decide(lookup, inMemory)
                : found.map(Optional::of)
                        .defaultIfEmpty(Optional.empty())
                        .flatMap(stored -> decide(lookup, stored.orElse(null)));
    }

    private RequestCacheControl leased(BucketView bucket, RequestCacheControl client) {
        return lease.isHeld(bucket) ? client : client.requiringRevalidation();
    }

    private Lookup lookup(BucketView bucket, ReadRequest request, RequestCacheControl client, boolean bodyWanted) {
        return new Lookup(
                reader.orElseThrow(),
                writeFence.orElseThrow(),
                sources,
                new ObjectId(bucket.backendName(), request.object(), request.versionId()),
                bucket,
                request,
                client,
                bodyWanted);
    }

    /** Bypasses the cache for the bytes of an object whose size must not be cached. */
    private static CurrentObject withinLimits(Lookup lookup, CurrentObject current) {
        boolean stored = !(lookup.bodyWanted() && current instanceof CurrentObject.Cached object)
                || lookup.bucket()
                        .mayCache(lookup.id().object(), object.metadata().size());
        return stored ? current : bypass(lookup.client());
    }

    private static CurrentObject bypass(RequestCacheControl client) {
        return client.onlyIfCached() ? new CurrentObject.NotCached() : new CurrentObject.Bypass(Optional.empty());
    }

    /** Returns the current state of an object after a revalidation; concurrent callers share one request. */
    public Mono<CurrentObject> revalidate(BucketView bucket, ReadRequest request) {
        if (bucket.backend() instanceof LocalObjectFinder own) {
            return own.revalidate(request);
        }
        Lookup lookup = lookup(bucket, request, RequestCacheControl.NONE.requiringRevalidation(), false);
        Mono<CurrentObject> now =
                Mono.deferContextual(context -> revalidate(lookup, lookup.source(context), Forward.STALE, true));
        return request.selection() instanceof ByteSelection.PartSelection part
                ? parts.locate(bucket, request, part, false, now)
                : now;
    }

    /**
     * Fails with the failure of a key that no object of a bucket has, or with that of the bucket if it is missing; asks
     * its backend for the bucket if necessary.
     */
    public <T> Mono<T> noObject(BucketView bucket, BackendException failure) {
        return missingBuckets.require(bucket, failure);
    }

    /** Fails with a failure of an object's HEAD, or with that of its bucket if it may be missing and is. */
    public <T> Mono<T> explainAbsence(BucketView bucket, BackendException failure) {
        return missingBuckets.explain(bucket, failure);
    }

    /** Returns the one-line explanation of a read; must be called before its bytes are read. */
    public String explain(BucketView bucket, ReadRequest request, CurrentObject current) {
        BucketView ruled = DerivedObjectFinder.ruled(bucket);
        return current instanceof CurrentObject.Cached object
                ? ReadExplanationFormatter.of(ruled, request, object, clock.millis())
                : ReadExplanationFormatter.bypass(ruled);
    }

    /** Returns what is called after writes and invalidations. */
    public CacheInvalidation invalidation() {
        return invalidation;
    }

    /** Returns what tells which reads would be hits. */
    public ReadPreviewer previewer() {
        return previewer;
    }

    /**
     * Returns an object that is made of another one and has metadata of its own, which say no more than its id does: it
     * is current as long as the other one is. Known at once if they are in memory. One of which there are none is made
     * now, once for all who want it, and its bytes are its first fill.
     *
     * @param id names what it is made of and how, so that what is made anew is of another id
     * @param maker returns the source that makes it, by the context of the reader
     * @param status that of the other one's metadata
     * @param wasForwarded whether the backend was asked for the other one
     * @param onlyIfCached whether it must not be made
     */
    public Mono<CurrentObject> findMade(
            ObjectId id,
            Function<ContextView, ObjectSource> maker,
            CacheStatus status,
            boolean wasForwarded,
            boolean onlyIfCached) {
        return made.find(id, maker, status, wasForwarded, onlyIfCached);
    }

    /** Returns whether there is a cache. */
    public boolean isCaching() {
        return reader.isPresent();
    }

    /**
     * Returns a page of a listing, from memory if the bucket's settings allow that, otherwise from the backend; empty
     * if it is not cached and the backend must not be asked.
     */
    public Mono<ListResult> list(BucketView bucket, ListRequest request, RequestCacheControl client) {
        if (bucket.backend() instanceof LocalObjectFinder) {
            return client.onlyIfCached()
                    ? Mono.empty()
                    : bucket.backend().listObjects(request).map(page -> new ListResult(page, Optional.empty()));
        }
        return lists.list(bucket, request, leased(bucket, client), page -> invalidation.afterListing(bucket, page));
    }

    private Mono<CurrentObject> decide(Lookup lookup, @Nullable ObjectMetadata cached) {
        boolean lacksWhatIsWanted = cached != null && !cached.complete() && lookup.isCompleteWanted();
        FreshnessDecision decision =
                FreshnessDecision.of(cached, lookup.freshness(), lacksWhatIsWanted, lookup.client(), clock.millis());
        if (cached != null && decision == FreshnessDecision.SERVE) {
            return Mono.just(withinLimits(lookup, lookup.current(cached, hit(lookup, cached), false)));
        }
        if (lookup.client().onlyIfCached()) {
            return Mono.just(new CurrentObject.NotCached());
        }
        return Mono.deferContextual(context -> {
                    ObjectSource source = lookup.source(context);
                    if (cached == null) {
                        return fetch(lookup, source);
                    }
                    ObjectSource now = cached.mustRevalidate() ? source.revalidating() : source;
                    return serveStaleOrRevalidate(lookup, now, cached, decision);
                })
                .map(current -> withinLimits(lookup, current));
    }

    private Mono<CurrentObject> serveStaleOrRevalidate(
            Lookup lookup, ObjectSource source, ObjectMetadata cached, FreshnessDecision decision) {
        return decision == FreshnessDecision.SERVE_STALE_WHILE_REVALIDATING && isAvailable(lookup, cached)
                ? Mono.just(serveStaleAndRefresh(lookup, source, cached))
                : revalidateOrServeStale(
                        lookup,
                        source,
                        cached,
                        decision == FreshnessDecision.REVALIDATE_STRICTLY || lookup.joinsNone(source));
    }

    /**
     * Returns whether a stale object can be served without a fetch. If bytes are absent, the reader must wait anyway
     * and gets the revalidated object, and never half of an old version that is gone.
     */
    private static boolean isAvailable(Lookup lookup, ObjectMetadata head) {
        return !lookup.bodyWanted()
                || head.size() == 0
                || lookup.reader()
                                .availability(
                                        head,
                                        TrimmedContent.range(lookup.request().selection(), head.size()))
                        == BlockAvailability.AVAILABLE;
    }

    /** Serves the stale object and revalidates it in the background. */
    private CurrentObject serveStaleAndRefresh(Lookup lookup, ObjectSource source, ObjectMetadata head) {
        WriteFence.Fence fence = lookup.writeFence().fence(lookup.id());
        refresher.refresh(
                lookup.id().backend(),
                lookup.id(),
                lookup.reader()
                        .revalidate(lookup.id(), false, source)
                        .doOnError(BackendException.class, failure -> remember(lookup, failure, fence)));
        return lookup.current(head, hit(lookup, head), false);
    }

    private CacheStatus hit(Lookup lookup, ObjectMetadata head) {
        long age = Math.max(0, clock.millis() - head.fetchedAt());
        return FreshnessDecision.isImmutable(lookup.freshness())
                ? CacheStatus.hitForEver(age)
                : CacheStatus.hit(ttl(lookup, head), age);
    }

    private long ttl(Lookup lookup, ObjectMetadata head) {
        long old = clock.millis() - head.fetchedAt();
        // Rounded down, so that an object that has just become stale does not have a ttl of 0 seconds.
        return Math.floorDiv(FreshnessDecision.freshMillis(lookup.freshness(), head) - old, 1000L);
    }

    private Mono<CurrentObject> revalidateOrServeStale(
            Lookup lookup, ObjectSource source, ObjectMetadata old, boolean strict) {
        Mono<CurrentObject> revalidated = revalidate(lookup, source, Forward.STALE, strict);
        Supplier<CurrentObject> stale = () -> lookup.current(old, hit(lookup, old), true);
        Mono<CurrentObject> current = !strict && mayServeInsteadOfWaiting(lookup, old)
                ? refresher.answerOrStale(lookup.id().backend(), lookup.id(), revalidated, stale)
                : revalidated;
        return current.onErrorResume(
                BackendException.class,
                failure -> failure.kind().isTemporary() && mayServeStale(lookup, old, clock.millis())
                        ? Mono.fromSupplier(stale)
                        : Mono.error(failure));
    }

    /**
     * Returns whether stale content may be served while the backend only keeps readers waiting: it is judged for the
     * end of the wait. A reader of what is not here, or not known, waits anyway.
     */
    private boolean mayServeInsteadOfWaiting(Lookup lookup, ObjectMetadata old) {
        return !lookup.freshness().staleIfError().isZero()
                && mayServeStale(lookup, old, clock.millis() + BackgroundRefresher.PATIENCE.toMillis())
                && (old.complete() || !lookup.isCompleteWanted())
                && isAvailable(lookup, old);
    }

    private static boolean mayServeStale(Lookup lookup, ObjectMetadata old, long now) {
        return lookup.client().maxAge().isEmpty()
                && FreshnessDecision.mayServeStaleOnError(old, lookup.freshness(), now);
    }

    private Mono<CurrentObject> fetch(Lookup lookup, ObjectSource source) {
        OptionalLong left = negativeCache.remainingMillis(lookup.id(), lookup.freshness(), lookup.client());
        if (left.isPresent()) {
            return Mono.error(CacheStatus.hit(left.getAsLong() / 1000)
                    .addTo(new BackendException(
                            FailureKind.NO_SUCH_KEY, lookup.id().object() + " was not there just now")));
        }
        boolean strict = lookup.joinsNone(source);
        ReadRequest request = lookup.request();
        boolean withBody = lookup.bodyWanted() && request.conditions().isEmpty();
        WriteFence.Fence fence = lookup.writeFence().fence(lookup.id());
        Mono<CurrentObject> found =
                withBody ? open(lookup, source, strict) : revalidate(lookup, source, Forward.MISS, strict);
        return found.doOnError(BackendException.class, failure -> remember(lookup, failure, fence))
                .onErrorMap(BackendException.class, CacheStatus.miss(false).notStored()::addTo);
    }

    private void remember(Lookup lookup, BackendException failure, WriteFence.Fence fence) {
        negativeCache.remember(lookup.id(), failure, fence::isCurrent);
    }

    /**
     * @param strict whether the request must be sent after this call; the metadata of a request that another caller
     *     sent is revalidated then, but its bytes are used
     */
    private Mono<CurrentObject> open(Lookup lookup, ObjectSource source, boolean strict) {
        return lookup.reader()
                .open(lookup.id(), lookup.request().selection(), source)
                .flatMap(opened -> strict && opened instanceof UncachedOpenResult.Cached object && !object.isLeader()
                        ? revalidate(lookup, source, Forward.MISS, true)
                        : Mono.just(current(lookup, source, opened)));
    }

    private static CurrentObject current(Lookup lookup, ObjectSource source, UncachedOpenResult opened) {
        if (opened instanceof UncachedOpenResult.Cached object) {
            return lookup.current(
                    object.metadata(),
                    CacheStatus.miss(!object.isLeader())
                            .ifStored(source)
                            .through(object.metadata().head().tier()),
                    true,
                    object.opening());
        }
        return new CurrentObject.Bypass(
                opened instanceof UncachedOpenResult.Uncacheable passed
                        ? trimmed(passed.content(), lookup.request().selection())
                        : Optional.empty());
    }

    /**
     * Trims a response to the client's selection: it was opened with whole blocks, or with an end where the selection
     * has none.
     */
    private static Optional<ObjectContent> trimmed(ObjectContent content, ByteSelection selection) {
        if (!(selection instanceof ByteSelection.RangeSelection range)) {
            return Optional.of(content);
        }
        Optional<ObjectContent> narrowed = TrimmedContent.of(content, range.spec());
        if (narrowed.isEmpty()) {
            content.discard();
        }
        return narrowed;
    }

    private Mono<CurrentObject> revalidate(Lookup lookup, ObjectSource source, Forward why, boolean strict) {
        CacheStatus status = CacheStatus.ofForwarded(why).ifStored(source);
        CacheStatus failed = status.notStored();
        return lookup.reader()
                .revalidate(lookup.id(), strict, source)
                .map(head -> head.head().version().hasStrongValidator()
                        ? lookup.current(head, status.through(head.head().tier()), true)
                        : new CurrentObject.Bypass(Optional.empty()))
                .onErrorResume(BackendException.class, failure -> explainMissing(lookup, failure))
                .onErrorMap(BackendException.class, failed::addTo);
    }

    /** Explains a missing object only to a reader of bytes, so that a HEAD costs no second request. */
    private <T> Mono<T> explainMissing(Lookup lookup, BackendException failure) {
        return lookup.bodyWanted() ? missingBuckets.explain(lookup.bucket(), failure) : Mono.error(failure);
    }
}
