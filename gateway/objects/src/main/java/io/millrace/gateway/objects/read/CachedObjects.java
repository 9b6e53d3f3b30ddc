package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.BlockCache;
import io.millrace.cache.OpenResult;
import io.millrace.cache.WriteFence;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.freshness.BackgroundRefresher;
import io.millrace.gateway.objects.freshness.CacheStatus;
import io.millrace.gateway.objects.freshness.CacheStatus.Forward;
import io.millrace.gateway.objects.freshness.RequestCacheControl;
import io.millrace.gateway.objects.listing.ListCache;
import io.millrace.gateway.objects.listing.ListResult;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import reactor.core.publisher.Mono;

/**
 * Finds the current state of an object for a read: from the cache while the bucket's freshness settings allow that,
 * otherwise from the backend, with one request for all concurrent callers. Thread-safe.
 */
public final class CachedObjects {
    private final Optional<BlockCache> cache;
    private final InstantSource clock;
    private final PartLocator parts = new PartLocator();
    private final MissingBucketDetector missingBuckets = new MissingBucketDetector();
    private final BackgroundRefresher refresher = new BackgroundRefresher();
    private final ListCache lists;
    private final NegativeCache negativeCache;

    /**
     * @param cache none if everything is passed through
     */
    public CachedObjects(Optional<BlockCache> cache, InstantSource clock) {
        this.cache = cache;
        this.clock = clock;
        this.lists = new ListCache(clock, refresher);
        this.negativeCache = new NegativeCache(clock);
    }

    /** What it takes to say what an object is. */
    private record Lookup(
            BlockCache cache,
            ObjectId id,
            BackendObjectSource source,
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

        CurrentObject.Cached known(ObjectMetadata head, CacheStatus status, boolean asked) {
            return new CurrentObject.Cached(cache, head, source, status, asked);
        }
    }

    /**
     * What the object of a read is now.
     *
     * @param client what the client wants of the cache
     * @param bodyWanted whether its bytes are wanted besides; they are on their way then, if it was not known
     */
    public Mono<CurrentObject> find(
            BucketView bucket, ReadRequest request, RequestCacheControl client, boolean bodyWanted) {
        if (cache.isEmpty()) {
            return Mono.just(new CurrentObject.Bypass(Optional.empty()));
        }
        if (!bucket.stores(request.object())) {
            return Mono.just(bypass(client));
        }
        if (request.selection() instanceof ByteSelection.PartSelection part) {
            Mono<CurrentObject> whole = find(bucket, PartLocator.wholeOf(request), client, false);
            return parts.locate(bucket, request, part, client.onlyIfCached(), whole)
                    .onErrorResume(PartLocator::isOfAnotherVersion, e -> revalidate(bucket, request));
        }
        ObjectId id = new ObjectId(bucket.backendName(), request.object(), request.versionId());
        BackendObjectSource source = new BackendObjectSource(bucket, id);
        // A write of the other need not tell of this one.
        RequestCacheControl wanted =
                bucket.other(request.object()).isPresent() ? client.requiringRevalidation() : client;
        Lookup question = new Lookup(cache.get(), id, source, bucket, request, wanted, bodyWanted);
        return cache.get()
                .reader()
                .find(id)
                .map(Optional::of)
                .defaultIfEmpty(Optional.empty())
                .flatMap(cached -> decide(question, cached))
                .map(current -> withinLimits(question, current));
    }

    /** What is known of an object may be told though its bytes are not to be stored. */
    private static CurrentObject withinLimits(Lookup question, CurrentObject current) {
        boolean stored = !(question.bodyWanted() && current instanceof CurrentObject.Cached known)
                || question.bucket()
                        .stores(question.id().object(), known.metadata().size());
        return stored ? current : bypass(question.client());
    }

    private static CurrentObject bypass(RequestCacheControl client) {
        return client.onlyIfCached() ? new CurrentObject.NotCached() : new CurrentObject.Bypass(Optional.empty());
    }

    /** The same, asked of the backend whatever is known, once for those who ask at the same time. */
    public Mono<CurrentObject> revalidate(BucketView bucket, ReadRequest request) {
        ObjectId id = new ObjectId(bucket.backendName(), request.object(), request.versionId());
        BlockCache blocks = cache.orElseThrow();
        BackendObjectSource source = new BackendObjectSource(bucket, id);
        Lookup question = new Lookup(blocks, id, source, bucket, request, RequestCacheControl.NONE, false);
        Mono<CurrentObject> now = revalidate(question, Forward.STALE, true);
        return request.selection() instanceof ByteSelection.PartSelection part
                ? parts.locate(bucket, request, part, false, now)
                : now;
    }

    /** How a read is answered, in a line; to be asked before its bytes are. */
    public String explain(BucketView bucket, ReadRequest request, CurrentObject current) {
        return current instanceof CurrentObject.Cached known
                ? ReadExplanation.of(bucket, request, known, clock.millis())
                : ReadExplanation.bypass(bucket);
    }

    /** Whether there is a cache at all. */
    public boolean isCaching() {
        return cache.isPresent();
    }

    /**
     * How an object stands with the cache. Looks in memory, and at a disk for what is only there; asks no backend. Empty if too many look
     * at all blocks of large objects.
     */
    public Mono<ReadPreview> previewRead(BucketView bucket, ObjectRef object) {
        if (cache.isEmpty() || !bucket.stores(object)) {
            return Mono.just(ReadPreview.WITHOUT_CACHE);
        }
        BlockCache blocks = cache.get();
        ObjectId id = ObjectId.current(bucket.backendName(), object);
        boolean aliased = bucket.other(object).isPresent();
        RequestCacheControl client =
                aliased ? RequestCacheControl.NONE.requiringRevalidation() : RequestCacheControl.NONE;
        FreshnessSettings freshness = bucket.freshness();
        Mono<ReadPreview> unknown = Mono.fromSupplier(() -> ReadPreview.unknown(
                negativeCache.left(id, freshness, client),
                blocks.writes().fence(id) == WriteFence.BEING_WRITTEN,
                aliased));
        return blocks.reader()
                .find(id)
                .map(head -> previewRead(blocks, head, bucket, client, aliased))
                .defaultIfEmpty(unknown)
                .flatMap(told -> told);
    }

    private Mono<ReadPreview> previewRead(
            BlockCache blocks, ObjectMetadata head, BucketView bucket, RequestCacheControl client, boolean aliased) {
        FreshnessSettings freshness = bucket.freshness();
        long now = clock.millis();
        long age = now - head.fetchedAt();
        OptionalLong fresh = ReadPlan.isImmutable(freshness)
                ? OptionalLong.empty()
                : OptionalLong.of(ReadPlan.freshMillis(freshness, head) - age);
        if (!bucket.stores(head.id().object(), head.size())) {
            return Mono.just(beyondLimits(head, age, fresh, aliased));
        }
        ReadPlan plan = ReadPlan.of(head, freshness, false, client, now);
        return blocks.inventory()
                .countResidentBytes(head)
                .map(bytes -> ReadPreview.of(head, bytes, plan, age, fresh, aliased));
    }

    /** What is known of an object whose bytes are not to be stored is told all the same. */
    private static ReadPreview beyondLimits(ObjectMetadata head, long age, OptionalLong fresh, boolean aliased) {
        return new ReadPreview(
                ReadPreview.Next.BYPASS, Optional.of(head), 0, 0, age, fresh, OptionalLong.empty(), false, aliased);
    }

    /** Others have changed many objects. Called behind the end of their invalidation. */
    public void onPrefixInvalidated(ObjectPrefix below) {
        negativeCache.forget(below);
        missingBuckets.forget(below.backend(), below.bucket());
        lists.onWrite(below.backend(), below.bucket());
    }

    /**
     * A page of a list, from memory if its bucket's rules allow that, else from its backend; empty if it is not known and the backend
     * must not be asked.
     */
    public Mono<ListResult> list(BucketView bucket, ListRequest request, RequestCacheControl client) {
        return lists.list(bucket, request, client, page -> observe(bucket, page));
    }

    /** An object was written: what was known to be missing, or to be all there is, is so no more. */
    public void onWrite(ObjectId id, boolean answered) {
        negativeCache.forget(id);
        lists.onWrite(id.backend(), id.object().bucket(), id.object().key(), answered);
    }

    /** The same of a bucket itself. */
    public void onBucketWrite(BucketView bucket) {
        missingBuckets.forget(bucket.backendName(), bucket.real());
        lists.onWrite(bucket.backendName(), bucket.real());
    }

    /** A list that the backend answers tells what objects are: what is known otherwise is asked for before it is used again. */
    private void observe(BucketView bucket, ListPage page) {
        if (cache.isEmpty() || bucket.freshness().mode() == FreshnessSettings.Mode.IMMUTABLE) {
            return;
        }
        for (ListPage.ListedObject entry : page.objects()) {
            ObjectId id = ObjectId.current(bucket.backendName(), new ObjectRef(bucket.real(), entry.key()));
            negativeCache.forget(id);
            cache.get().writes().observe(id, entry.eTag(), entry.size());
        }
    }

    private Mono<CurrentObject> decide(Lookup question, Optional<ObjectMetadata> cached) {
        boolean complete = question.request().checksums();
        ReadPlan plan =
                ReadPlan.of(cached.orElse(null), question.freshness(), complete, question.client(), clock.millis());
        if (question.client().onlyIfCached() && plan != ReadPlan.SERVE) {
            return Mono.just(new CurrentObject.NotCached());
        }
        return switch (plan) {
            case SERVE -> Mono.just(question.known(cached.orElseThrow(), hit(question, cached.orElseThrow()), false));
            case SERVE_STALE_WHILE_REVALIDATING ->
                isAvailable(question, cached.orElseThrow())
                        ? Mono.fromSupplier(() -> serveStaleAndRefresh(question, cached.orElseThrow()))
                        : revalidateOrServeStale(question, cached.orElseThrow(), false);
            case REVALIDATE -> revalidateOrServeStale(question, cached.orElseThrow(), false);
            case REVALIDATE_STRICTLY -> revalidateOrServeStale(question, cached.orElseThrow(), true);
            case FETCH ->
                fetch(
                        question,
                        question.bodyWanted() && question.request().conditions().isEmpty() && !complete);
        };
    }

    /** Whoever must wait for bytes can wait for the news too, and is not left with half of what is gone. */
    private static boolean isAvailable(Lookup question, ObjectMetadata head) {
        return !question.bodyWanted()
                || head.size() == 0
                || question.cache()
                                .reader()
                                .availability(
                                        head,
                                        TrimmedContent.range(question.request().selection(), head.size()))
                        == BlockAvailability.AVAILABLE;
    }

    /** What is known, while it is asked for behind its reader. */
    private CurrentObject serveStaleAndRefresh(Lookup question, ObjectMetadata head) {
        long fence = question.cache().writes().fence(question.id());
        refresher.refresh(
                question.id().backend(),
                question.id(),
                question.cache()
                        .reader()
                        .revalidate(question.id(), false, question.source())
                        .doOnError(BackendException.class, failure -> remember(question, failure, fence)));
        return question.known(head, stale(question, head), false);
    }

    private CacheStatus hit(Lookup question, ObjectMetadata head) {
        return ReadPlan.isImmutable(question.freshness()) ? CacheStatus.hit() : CacheStatus.hit(ttl(question, head));
    }

    private CacheStatus stale(Lookup question, ObjectMetadata head) {
        long age = Math.max(0, clock.millis() - head.fetchedAt()) / 1000;
        return ReadPlan.isImmutable(question.freshness())
                ? CacheStatus.hit()
                : CacheStatus.stale(ttl(question, head), age);
    }

    private long ttl(Lookup question, ObjectMetadata head) {
        long old = clock.millis() - head.fetchedAt();
        // Down: what has just become old is not fresh for 0 seconds.
        return Math.floorDiv(ReadPlan.freshMillis(question.freshness(), head) - old, 1000L);
    }

    private Mono<CurrentObject> revalidateOrServeStale(Lookup question, ObjectMetadata old, boolean strict) {
        return revalidate(question, Forward.STALE, strict)
                .onErrorResume(
                        BackendException.class,
                        failure -> mayServeStale(question, old, failure)
                                ? Mono.just(question.known(old, stale(question, old), true))
                                : Mono.error(failure));
    }

    private boolean mayServeStale(Lookup question, ObjectMetadata old, BackendException failure) {
        boolean trouble = failure.kind() == FailureKind.UNAVAILABLE || failure.kind() == FailureKind.THROTTLED;
        return trouble
                && question.client().maxAge().isEmpty()
                && ReadPlan.mayServeStaleOnError(old, question.freshness(), clock.millis());
    }

    private Mono<CurrentObject> fetch(Lookup question, boolean withBody) {
        OptionalLong left = negativeCache.left(question.id(), question.freshness(), question.client());
        if (left.isPresent()) {
            return Mono.error(CacheStatus.hit(left.getAsLong() / 1000)
                    .on(new BackendException(
                            FailureKind.NO_SUCH_KEY, question.id().object() + " was not there just now")));
        }
        boolean strict = question.isStrict();
        long fence = question.cache().writes().fence(question.id());
        Mono<CurrentObject> answer = withBody ? open(question, strict) : revalidate(question, Forward.MISS, strict);
        return answer.doOnError(BackendException.class, failure -> remember(question, failure, fence))
                .onErrorMap(BackendException.class, CacheStatus.miss(false).notStored()::on);
    }

    private void remember(Lookup question, BackendException failure, long fence) {
        negativeCache.remember(
                question.id(), failure, () -> question.cache().writes().holds(question.id(), fence));
    }

    /** @param strict whether the question must be sent after this call: another's is not believed then, but its bytes are used */
    private Mono<CurrentObject> open(Lookup question, boolean strict) {
        return question.cache()
                .reader()
                .open(question.id(), question.request().selection(), question.source())
                .flatMap(opened -> strict && opened instanceof OpenResult.Cached known && !known.isLeader()
                        ? revalidate(question, Forward.MISS, true)
                        : Mono.just(current(question, opened)));
    }

    private static CurrentObject current(Lookup question, OpenResult opened) {
        if (opened instanceof OpenResult.Cached known) {
            return question.known(known.metadata(), CacheStatus.miss(!known.isLeader()), true);
        }
        return new CurrentObject.Bypass(
                opened instanceof OpenResult.Uncacheable passed
                        ? asWanted(passed.content(), question.request().selection())
                        : Optional.empty());
    }

    /** It was opened with another selection than the client's: its range may be wider, or cut short where that has no end. */
    private static Optional<ObjectContent> asWanted(ObjectContent content, ByteSelection selection) {
        if (!(selection instanceof ByteSelection.RangeSelection range)) {
            return Optional.of(content);
        }
        Optional<ObjectContent> narrowed = TrimmedContent.of(content, range.spec());
        if (narrowed.isEmpty()) {
            content.discard();
        }
        return narrowed;
    }

    private Mono<CurrentObject> revalidate(Lookup question, Forward why, boolean strict) {
        CacheStatus status = CacheStatus.asked(why);
        CacheStatus failed = status.notStored();
        return question.cache()
                .reader()
                .revalidate(question.id(), strict, question.source())
                .map(head -> head.head().version().hasStrongValidator()
                        ? question.known(head, status, true)
                        : new CurrentObject.Bypass(Optional.empty()))
                .onErrorResume(BackendException.class, failure -> what(question, failure))
                .onErrorMap(BackendException.class, failed::on);
    }

    /** Only who wants the bytes is told what is missing, so nobody else's 404 costs another question. */
    private <T> Mono<T> what(Lookup question, BackendException failure) {
        return question.bodyWanted() ? missingBuckets.explain(question.bucket(), failure) : Mono.error(failure);
    }
}
