package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.tier.TierRequest;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheReader;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.UncachedOpenResult;
import io.millrace.cache.WriteFence;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.fill.OpeningFill;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.freshness.BackgroundRefresher;
import io.millrace.gateway.objects.freshness.CacheLease;
import io.millrace.gateway.objects.freshness.CacheStatus;
import io.millrace.gateway.objects.freshness.CacheStatus.Forward;
import io.millrace.gateway.objects.freshness.RequestCacheControl;
import io.millrace.gateway.objects.listing.ListCache;
import io.millrace.gateway.objects.listing.ListResult;
import io.millrace.kit.async.ImmediateMono;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
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
    private final PartLocator parts = new PartLocator();
    private final MissingBucketDetector missingBuckets = new MissingBucketDetector();
    private final BackgroundRefresher refresher = new BackgroundRefresher();
    private final ListCache lists;
    private final NegativeCache negativeCache;

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
        this.lists = new ListCache(clock, refresher);
        this.negativeCache = new NegativeCache(clock);
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
         * Returns whether metadata without checksums, as a fetch of a range brings it, has to be completed by a HEAD. Clients
         * compare checksums where there are some, and most ask for them always: it must be worth the request.
         */
        boolean isCompleteWanted() {
            return request.checksums()
                    && request.selection() instanceof ByteSelection.WholeObject
                    && (!bodyWanted || bucket.backend().capabilities().contains(Capability.CHECKSUMS));
        }

        /** Returns the source of the object for the request in a subscriber's context. */
        ObjectSource source(ContextView context) {
            return sources.create(bucket, id, TierRequest.from(context).revalidating(isStrict()));
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
     * Returns the current state of an object for a read. It is looked for in memory now, and known at once if it is there and fresh; the
     * rest begins with the subscription.
     *
     * @param client the cache directives of the request
     * @param bodyWanted whether the bytes are wanted too; a miss begins to fetch them then
     */
    public Mono<CurrentObject> find(
            BucketView bucket, ReadRequest request, RequestCacheControl client, boolean bodyWanted) {
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
        Lookup question = lookup(bucket, request, wanted, bodyWanted);
        Mono<ObjectMetadata> found = question.reader().find(question.id());
        @Nullable ObjectMetadata inMemory = ImmediateMono.valueOf(found);
        return inMemory != null
                ? decide(question, inMemory)
                : found.map(Optional::of)
                        .defaultIfEmpty(Optional.empty())
                        .flatMap(stored -> decide(question, stored.orElse(null)));
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
    private static CurrentObject withinLimits(Lookup question, CurrentObject current) {
        boolean stored = !(question.bodyWanted() && current instanceof CurrentObject.Cached object)
                || question.bucket()
                        .mayCache(question.id().object(), object.metadata().size());
        return stored ? current : bypass(question.client());
    }

    private static CurrentObject bypass(RequestCacheControl client) {
        return client.onlyIfCached() ? new CurrentObject.NotCached() : new CurrentObject.Bypass(Optional.empty());
    }

    /** Returns the current state of an object after a revalidation; concurrent callers share one request. */
    public Mono<CurrentObject> revalidate(BucketView bucket, ReadRequest request) {
        Lookup question = lookup(bucket, request, RequestCacheControl.NONE.requiringRevalidation(), false);
        Mono<CurrentObject> now =
                Mono.deferContextual(context -> revalidate(question, question.source(context), Forward.STALE, true));
        return request.selection() instanceof ByteSelection.PartSelection part
                ? parts.locate(bucket, request, part, false, now)
                : now;
    }

    /** Returns the one-line explanation of a read; must be called before its bytes are read. */
    public String explain(BucketView bucket, ReadRequest request, CurrentObject current) {
        return current instanceof CurrentObject.Cached object
                ? ReadExplanationFormatter.of(bucket, request, object, clock.millis())
                : ReadExplanationFormatter.bypass(bucket);
    }

    /** Returns whether there is a cache. */
    public boolean isCaching() {
        return reader.isPresent();
    }

    /**
     * Returns what a plain GET would do now. Reads the cached metadata from memory or the metadata store and asks no
     * backend. Empty if too many scans of large objects are running.
     */
    public Mono<ReadPreview> previewRead(BucketView bucket, ObjectRef object) {
        if (reader.isEmpty() || !bucket.mayCache(object)) {
            return Mono.just(ReadPreview.WITHOUT_CACHE);
        }
        ObjectId id = ObjectId.current(bucket.backendName(), object);
        boolean aliased = bucket.alias(object).isPresent();
        RequestCacheControl client =
                aliased ? RequestCacheControl.NONE.requiringRevalidation() : RequestCacheControl.NONE;
        FreshnessSettings freshness = bucket.freshness();
        Mono<ReadPreview> unknown = Mono.fromSupplier(() -> ReadPreview.unknown(
                negativeCache.remainingMillis(id, freshness, client),
                writeFence.orElseThrow().isBeingWritten(id),
                aliased));
        return reader.get()
                .find(id)
                .map(head -> previewRead(head, bucket, client, aliased))
                .defaultIfEmpty(unknown)
                .flatMap(preview -> preview);
    }

    private Mono<ReadPreview> previewRead(
            ObjectMetadata head, BucketView bucket, RequestCacheControl client, boolean aliased) {
        FreshnessSettings freshness = bucket.freshness();
        long now = clock.millis();
        long age = now - head.fetchedAt();
        OptionalLong fresh = FreshnessDecision.isImmutable(freshness)
                ? OptionalLong.empty()
                : OptionalLong.of(FreshnessDecision.freshMillis(freshness, head) - age);
        if (!bucket.mayCache(head.id().object(), head.size())) {
            return Mono.just(beyondLimits(head, age, fresh, aliased));
        }
        FreshnessDecision decision = FreshnessDecision.of(head, freshness, false, client, now);
        return reader.orElseThrow()
                .countResidentBytes(head)
                .map(bytes -> ReadPreview.of(head, bytes, decision, age, fresh, aliased));
    }

    /** Returns the preview of an object whose size must not be cached, with its metadata. */
    private static ReadPreview beyondLimits(ObjectMetadata head, long age, OptionalLong fresh, boolean aliased) {
        return new ReadPreview(
                ReadPreview.Next.BYPASS, Optional.of(head), 0, 0, age, fresh, OptionalLong.empty(), false, aliased);
    }

    /** Removes what is remembered below a prefix; called after the prefix was invalidated. */
    public void onPrefixInvalidated(ObjectPrefix below) {
        negativeCache.invalidate(below);
        missingBuckets.forget(below.backend(), below.bucket());
        lists.onWrite(below.backend(), below.bucket());
    }

    /**
     * Returns a page of a listing, from memory if the bucket's settings allow that, otherwise from the backend; empty
     * if it is not cached and the backend must not be asked.
     */
    public Mono<ListResult> list(BucketView bucket, ListRequest request, RequestCacheControl client) {
        return lists.list(bucket, request, leased(bucket, client), page -> observe(bucket, page));
    }

    /**
     * Removes remembered absence of an object and the listings that may show it; called after a write.
     *
     * @param acknowledged whether the backend reported the outcome of the write
     */
    public void onWrite(ObjectId id, boolean acknowledged) {
        negativeCache.invalidate(id);
        lists.onWrite(id.backend(), id.object().bucket(), id.object().key(), acknowledged);
    }

    /** Removes what is remembered of a bucket itself; called after it was created or deleted. */
    public void onBucketWrite(BucketView bucket) {
        missingBuckets.forget(bucket.backendName(), bucket.backendBucket());
        lists.onWrite(bucket.backendName(), bucket.backendBucket());
    }

    /** Invalidates the cached metadata of listed objects that differs from the listing. */
    private void observe(BucketView bucket, ListPage page) {
        if (writeFence.isEmpty() || bucket.freshness().mode() == FreshnessSettings.Mode.IMMUTABLE) {
            return;
        }
        for (ListPage.ListedObject entry : page.objects()) {
            ObjectId id = ObjectId.current(bucket.backendName(), new ObjectRef(bucket.backendBucket(), entry.key()));
            negativeCache.invalidate(id);
            writeFence.get().observe(id, entry.eTag(), entry.size());
        }
    }

    private Mono<CurrentObject> decide(Lookup question, @Nullable ObjectMetadata cached) {
        boolean lacksWhatIsWanted = cached != null && !cached.complete() && question.isCompleteWanted();
        FreshnessDecision decision = FreshnessDecision.of(
                cached, question.freshness(), lacksWhatIsWanted, question.client(), clock.millis());
        if (cached != null && decision == FreshnessDecision.SERVE) {
            return Mono.just(withinLimits(question, question.current(cached, hit(question, cached), false)));
        }
        if (question.client().onlyIfCached()) {
            return Mono.just(new CurrentObject.NotCached());
        }
        return Mono.deferContextual(context -> {
                    ObjectSource source = question.source(context);
                    return cached == null
                            ? fetch(question, source)
                            : serveStaleOrRevalidate(question, source, cached, decision);
                })
                .map(current -> withinLimits(question, current));
    }

    private Mono<CurrentObject> serveStaleOrRevalidate(
            Lookup question, ObjectSource source, ObjectMetadata cached, FreshnessDecision decision) {
        return decision == FreshnessDecision.SERVE_STALE_WHILE_REVALIDATING && isAvailable(question, cached)
                ? Mono.just(serveStaleAndRefresh(question, source, cached))
                : revalidateOrServeStale(question, source, cached, decision == FreshnessDecision.REVALIDATE_STRICTLY);
    }

    /**
     * Returns whether a stale object can be served without a fetch. If bytes are absent, the reader must wait anyway
     * and gets the revalidated object, and never half of an old version that is gone.
     */
    private static boolean isAvailable(Lookup question, ObjectMetadata head) {
        return !question.bodyWanted()
                || head.size() == 0
                || question.reader()
                                .availability(
                                        head,
                                        TrimmedContent.range(question.request().selection(), head.size()))
                        == BlockAvailability.AVAILABLE;
    }

    /** Serves the stale object and revalidates it in the background. */
    private CurrentObject serveStaleAndRefresh(Lookup question, ObjectSource source, ObjectMetadata head) {
        WriteFence.Fence fence = question.writeFence().fence(question.id());
        refresher.refresh(
                question.id().backend(),
                question.id(),
                question.reader()
                        .revalidate(question.id(), false, source)
                        .doOnError(BackendException.class, failure -> remember(question, failure, fence)));
        return question.current(head, hit(question, head), false);
    }

    private CacheStatus hit(Lookup question, ObjectMetadata head) {
        long age = Math.max(0, clock.millis() - head.fetchedAt()) / 1000;
        return FreshnessDecision.isImmutable(question.freshness())
                ? CacheStatus.hitForEver(age)
                : CacheStatus.hit(ttl(question, head), age);
    }

    private long ttl(Lookup question, ObjectMetadata head) {
        long old = clock.millis() - head.fetchedAt();
        // Rounded down, so that an object that has just become stale does not have a ttl of 0 seconds.
        return Math.floorDiv(FreshnessDecision.freshMillis(question.freshness(), head) - old, 1000L);
    }

    private Mono<CurrentObject> revalidateOrServeStale(
            Lookup question, ObjectSource source, ObjectMetadata old, boolean strict) {
        Mono<CurrentObject> revalidated = revalidate(question, source, Forward.STALE, strict);
        Supplier<CurrentObject> stale = () -> question.current(old, hit(question, old), true);
        Mono<CurrentObject> answer = !strict && mayServeInsteadOfWaiting(question, old)
                ? refresher.answerOrStale(question.id().backend(), question.id(), revalidated, stale)
                : revalidated;
        return answer.onErrorResume(
                BackendException.class,
                failure -> failure.kind().isTemporary() && mayServeStale(question, old, clock.millis())
                        ? Mono.fromSupplier(stale)
                        : Mono.error(failure));
    }

    /**
     * Returns whether stale content may be served while the backend only keeps readers waiting: it is judged for the end of the wait. A
     * reader of what is not here, or not known, waits anyway.
     */
    private boolean mayServeInsteadOfWaiting(Lookup question, ObjectMetadata old) {
        return !question.freshness().staleIfError().isZero()
                && mayServeStale(question, old, clock.millis() + BackgroundRefresher.PATIENCE.toMillis())
                && (old.complete() || !question.isCompleteWanted())
                && isAvailable(question, old);
    }

    private static boolean mayServeStale(Lookup question, ObjectMetadata old, long now) {
        return question.client().maxAge().isEmpty()
                && FreshnessDecision.mayServeStaleOnError(old, question.freshness(), now);
    }

    private Mono<CurrentObject> fetch(Lookup question, ObjectSource source) {
        OptionalLong left = negativeCache.remainingMillis(question.id(), question.freshness(), question.client());
        if (left.isPresent()) {
            return Mono.error(CacheStatus.hit(left.getAsLong() / 1000)
                    .addTo(new BackendException(
                            FailureKind.NO_SUCH_KEY, question.id().object() + " was not there just now")));
        }
        boolean strict = question.isStrict();
        ReadRequest request = question.request();
        boolean withBody = question.bodyWanted() && request.conditions().isEmpty();
        WriteFence.Fence fence = question.writeFence().fence(question.id());
        Mono<CurrentObject> found =
                withBody ? open(question, source, strict) : revalidate(question, source, Forward.MISS, strict);
        return found.doOnError(BackendException.class, failure -> remember(question, failure, fence))
                .onErrorMap(BackendException.class, CacheStatus.miss(false).notStored()::addTo);
    }

    private void remember(Lookup question, BackendException failure, WriteFence.Fence fence) {
        negativeCache.remember(question.id(), failure, fence::isCurrent);
    }

    /**
     * @param strict whether the request must be sent after this call; the metadata of a request that another caller
     *     sent is revalidated then, but its bytes are used
     */
    private Mono<CurrentObject> open(Lookup question, ObjectSource source, boolean strict) {
        return question.reader()
                .open(question.id(), question.request().selection(), source)
                .flatMap(opened -> strict && opened instanceof UncachedOpenResult.Cached object && !object.isLeader()
                        ? revalidate(question, source, Forward.MISS, true)
                        : Mono.just(current(question, opened)));
    }

    private static CurrentObject current(Lookup question, UncachedOpenResult opened) {
        if (opened instanceof UncachedOpenResult.Cached object) {
            return question.current(
                    object.metadata(),
                    CacheStatus.miss(!object.isLeader())
                            .through(object.metadata().head().tier()),
                    true,
                    object.opening());
        }
        return new CurrentObject.Bypass(
                opened instanceof UncachedOpenResult.Uncacheable passed
                        ? trimmed(passed.content(), question.request().selection())
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

    private Mono<CurrentObject> revalidate(Lookup question, ObjectSource source, Forward why, boolean strict) {
        CacheStatus status = CacheStatus.ofForwarded(why);
        CacheStatus failed = status.notStored();
        return question.reader()
                .revalidate(question.id(), strict, source)
                .map(head -> head.head().version().hasStrongValidator()
                        ? question.current(head, status.through(head.head().tier()), true)
                        : new CurrentObject.Bypass(Optional.empty()))
                .onErrorResume(BackendException.class, failure -> explainMissing(question, failure))
                .onErrorMap(BackendException.class, failed::addTo);
    }

    /** Explains a missing object only to a reader of bytes, so that a HEAD costs no second request. */
    private <T> Mono<T> explainMissing(Lookup question, BackendException failure) {
        return question.bodyWanted() ? missingBuckets.explain(question.bucket(), failure) : Mono.error(failure);
    }
}
