package io.millrace.gateway.freshness;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.cache.BlockCache;
import io.millrace.cache.Opened;
import io.millrace.cache.fill.Presence;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.FreshnessSettings;
import io.millrace.gateway.freshness.CacheStatus.Forward;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import reactor.core.publisher.Mono;

/**
 * Tells what an object is now: from the cache as long as the bucket's freshness allows, else from its backend, which is asked
 * once for all who want to know at the same time. Safe for use by any number of threads.
 */
public final class CachedObjects {
    private final Optional<BlockCache> cache;
    private final InstantSource clock;
    private final Parts parts = new Parts();
    private final MissingBuckets missingBuckets = new MissingBuckets();
    private final BackgroundQuestions behind = new BackgroundQuestions();
    private final CachedLists lists;
    private final MissingKeys missing;

    /**
     * @param cache none if everything is passed through
     */
    public CachedObjects(Optional<BlockCache> cache, InstantSource clock) {
        this.cache = cache;
        this.clock = clock;
        this.lists = new CachedLists(clock, behind);
        this.missing = new MissingKeys(clock);
    }

    /** What it takes to say what an object is. */
    private record Question(
            BlockCache cache,
            ObjectId id,
            BackendSource source,
            BucketView bucket,
            ReadRequest request,
            CacheControl client,
            boolean bodyWanted) {
        FreshnessSettings freshness() {
            return bucket.freshness();
        }

        boolean isStrict() {
            return freshness().mode() == FreshnessSettings.Mode.STRICT || client.wantsNews();
        }

        Current.Known known(ObjectMetadata head, CacheStatus status, boolean asked) {
            return new Current.Known(cache, head, source, status, asked);
        }
    }

    /**
     * What the object of a read is now.
     *
     * @param client what the client wants of the cache
     * @param bodyWanted whether its bytes are wanted besides; they are on their way then, if it was not known
     */
    public Mono<Current> find(BucketView bucket, ReadRequest request, CacheControl client, boolean bodyWanted) {
        if (cache.isEmpty()) {
            return Mono.just(new Current.Pass(Optional.empty()));
        }
        if (!bucket.stores(request.object())) {
            return Mono.just(past(client));
        }
        if (request.selection() instanceof Selection.Part part) {
            Mono<Current> whole = find(bucket, Parts.wholeOf(request), client, false);
            return parts.locate(bucket, request, part, client.onlyIfCached(), whole)
                    .onErrorResume(Parts::isOfAnotherVersion, e -> ask(bucket, request));
        }
        ObjectId id = new ObjectId(bucket.backendName(), request.object(), request.versionId());
        BackendSource source = new BackendSource(bucket, id);
        // A write of the other need not tell of this one.
        CacheControl wanted = bucket.other(request.object()).isPresent() ? client.withNews() : client;
        Question question = new Question(cache.get(), id, source, bucket, request, wanted, bodyWanted);
        return cache.get()
                .find(id)
                .map(Optional::of)
                .defaultIfEmpty(Optional.empty())
                .flatMap(cached -> decide(question, cached))
                .map(current -> withinLimits(question, current));
    }

    /** What is known of an object may be told though its bytes are not to be stored. */
    private static Current withinLimits(Question question, Current current) {
        boolean stored = !(question.bodyWanted() && current instanceof Current.Known known)
                || question.bucket().stores(question.id().object(), known.head().size());
        return stored ? current : past(question.client());
    }

    private static Current past(CacheControl client) {
        return client.onlyIfCached() ? new Current.NotCached() : new Current.Pass(Optional.empty());
    }

    /** The same, asked of the backend whatever is known, once for those who ask at the same time. */
    public Mono<Current> ask(BucketView bucket, ReadRequest request) {
        ObjectId id = new ObjectId(bucket.backendName(), request.object(), request.versionId());
        BlockCache blocks = cache.orElseThrow();
        BackendSource source = new BackendSource(bucket, id);
        Question question = new Question(blocks, id, source, bucket, request, CacheControl.NONE, false);
        Mono<Current> now = revalidate(question, Forward.STALE, true);
        return request.selection() instanceof Selection.Part part
                ? parts.locate(bucket, request, part, false, now)
                : now;
    }

    /** How a read is answered, in a line; to be asked before its bytes are. */
    public String explain(BucketView bucket, ReadRequest request, Current current) {
        return current instanceof Current.Known known
                ? ReadExplanation.of(bucket, request, known, clock.millis())
                : ReadExplanation.bypass(bucket);
    }

    /** Whether there is a cache at all. */
    public boolean haveCache() {
        return cache.isPresent();
    }

    /**
     * How an object stands with the cache. Looks in memory, and at a disk for what is only there; asks no backend. Empty if too many look
     * at all blocks of large objects.
     */
    public Mono<Standing> standing(BucketView bucket, ObjectRef object) {
        if (cache.isEmpty() || !bucket.stores(object)) {
            return Mono.just(Standing.WITHOUT_CACHE);
        }
        BlockCache blocks = cache.get();
        ObjectId id = ObjectId.current(bucket.backendName(), object);
        boolean aliased = bucket.other(object).isPresent();
        CacheControl client = aliased ? CacheControl.NONE.withNews() : CacheControl.NONE;
        FreshnessSettings freshness = bucket.freshness();
        Mono<Standing> unknown = Mono.fromSupplier(() -> Standing.unknown(
                missing.left(id, freshness, client), blocks.fence(id) == BlockCache.BEING_WRITTEN, aliased));
        return blocks.find(id)
                .map(head -> standing(blocks, head, bucket, client, aliased))
                .defaultIfEmpty(unknown)
                .flatMap(told -> told);
    }

    private Mono<Standing> standing(
            BlockCache blocks, ObjectMetadata head, BucketView bucket, CacheControl client, boolean aliased) {
        FreshnessSettings freshness = bucket.freshness();
        long now = clock.millis();
        long age = now - head.askedAt();
        OptionalLong fresh = ReadPlan.isForEver(freshness)
                ? OptionalLong.empty()
                : OptionalLong.of(ReadPlan.freshMillis(freshness, head) - age);
        if (!bucket.stores(head.id().object(), head.size())) {
            return Mono.just(beyondLimits(head, age, fresh, aliased));
        }
        ReadPlan plan = ReadPlan.of(head, freshness, false, client, now);
        return blocks.findResident(head).map(bytes -> Standing.of(head, bytes, plan, age, fresh, aliased));
    }

    /** What is known of an object whose bytes are not to be stored is told all the same. */
    private static Standing beyondLimits(ObjectMetadata head, long age, OptionalLong fresh, boolean aliased) {
        return new Standing(
                Standing.Next.BYPASS, Optional.of(head), 0, 0, age, fresh, OptionalLong.empty(), false, aliased);
    }

    /** Others have changed many objects. Called behind the end of their invalidation. */
    void changed(ObjectPrefix below) {
        missing.forget(below);
        missingBuckets.forget(below.backend(), below.bucket());
        lists.changed(below.backend(), below.bucket());
    }

    /**
     * A page of a list, from memory if its bucket's rules allow that, else from its backend; empty if it is not known and the backend
     * must not be asked.
     */
    public Mono<Listed> list(BucketView bucket, ListRequest request, CacheControl client) {
        return lists.list(bucket, request, client, page -> listed(bucket, page));
    }

    /** An object was written: what was known to be missing, or to be all there is, is so no more. */
    void written(ObjectId id, boolean answered) {
        missing.forget(id);
        lists.changed(id.backend(), id.object().bucket(), id.object().key(), answered);
    }

    /** The same of a bucket itself. */
    public void bucketWritten(BucketView bucket) {
        missingBuckets.forget(bucket.backendName(), bucket.real());
        lists.changed(bucket.backendName(), bucket.real());
    }

    /** A list that the backend answers tells what objects are: what is known otherwise is asked for before it is used again. */
    private void listed(BucketView bucket, ListPage page) {
        if (cache.isEmpty() || bucket.freshness().mode() == FreshnessSettings.Mode.IMMUTABLE) {
            return;
        }
        for (ListPage.Entry entry : page.objects()) {
            ObjectId id = ObjectId.current(bucket.backendName(), new ObjectRef(bucket.real(), entry.key()));
            missing.forget(id);
            cache.get().observe(id, entry.eTag(), entry.size());
        }
    }

    private Mono<Current> decide(Question question, Optional<ObjectMetadata> cached) {
        boolean complete = question.request().checksums();
        ReadPlan plan =
                ReadPlan.of(cached.orElse(null), question.freshness(), complete, question.client(), clock.millis());
        if (question.client().onlyIfCached() && plan != ReadPlan.SERVE) {
            return Mono.just(new Current.NotCached());
        }
        return switch (plan) {
            case SERVE -> Mono.just(question.known(cached.orElseThrow(), hit(question, cached.orElseThrow()), false));
            case SERVE_AND_ASK ->
                isHere(question, cached.orElseThrow())
                        ? Mono.fromSupplier(() -> old(question, cached.orElseThrow()))
                        : stillSo(question, cached.orElseThrow(), false);
            case REVALIDATE -> stillSo(question, cached.orElseThrow(), false);
            case ASK_ANEW -> stillSo(question, cached.orElseThrow(), true);
            case FETCH ->
                fetch(
                        question,
                        question.bodyWanted() && question.request().conditions().isEmpty() && !complete);
        };
    }

    /** Whoever must wait for bytes can wait for the news too, and is not left with half of what is gone. */
    private static boolean isHere(Question question, ObjectMetadata head) {
        return !question.bodyWanted()
                || head.size() == 0
                || question.cache()
                                .presence(
                                        head, Narrowed.range(question.request().selection(), head.size()))
                        == Presence.HERE;
    }

    /** What is known, while it is asked for behind its reader. */
    private Current old(Question question, ObjectMetadata head) {
        long fence = question.cache().fence(question.id());
        behind.ask(
                question.id().backend(),
                question.id(),
                question.cache()
                        .revalidate(question.id(), false, question.source())
                        .doOnError(BackendException.class, failure -> remember(question, failure, fence)));
        return question.known(head, stale(question, head), false);
    }

    private CacheStatus hit(Question question, ObjectMetadata head) {
        return ReadPlan.isForEver(question.freshness()) ? CacheStatus.hit() : CacheStatus.hit(ttl(question, head));
    }

    private CacheStatus stale(Question question, ObjectMetadata head) {
        long age = Math.max(0, clock.millis() - head.askedAt()) / 1000;
        return ReadPlan.isForEver(question.freshness())
                ? CacheStatus.hit()
                : CacheStatus.stale(ttl(question, head), age);
    }

    private long ttl(Question question, ObjectMetadata head) {
        long old = clock.millis() - head.askedAt();
        // Down: what has just become old is not fresh for 0 seconds.
        return Math.floorDiv(ReadPlan.freshMillis(question.freshness(), head) - old, 1000L);
    }

    private Mono<Current> stillSo(Question question, ObjectMetadata old, boolean strict) {
        return revalidate(question, Forward.STALE, strict)
                .onErrorResume(
                        BackendException.class,
                        failure -> mayServeStale(question, old, failure)
                                ? Mono.just(question.known(old, stale(question, old), true))
                                : Mono.error(failure));
    }

    private boolean mayServeStale(Question question, ObjectMetadata old, BackendException failure) {
        boolean trouble = failure.kind() == Kind.UNAVAILABLE || failure.kind() == Kind.THROTTLED;
        return trouble
                && question.client().maxAge().isEmpty()
                && ReadPlan.mayBeStale(old, question.freshness(), clock.millis());
    }

    private Mono<Current> fetch(Question question, boolean withBody) {
        OptionalLong left = missing.left(question.id(), question.freshness(), question.client());
        if (left.isPresent()) {
            return Mono.error(CacheStatus.hit(left.getAsLong() / 1000)
                    .on(new BackendException(Kind.NO_SUCH_KEY, question.id().object() + " was not there just now")));
        }
        boolean strict = question.isStrict();
        long fence = question.cache().fence(question.id());
        Mono<Current> answer = withBody ? open(question, strict) : revalidate(question, Forward.MISS, strict);
        return answer.doOnError(BackendException.class, failure -> remember(question, failure, fence))
                .onErrorMap(BackendException.class, CacheStatus.miss(false).notStored()::on);
    }

    private void remember(Question question, BackendException failure, long fence) {
        missing.remember(question.id(), failure, () -> question.cache().holds(question.id(), fence));
    }

    /** @param strict whether the question must be sent after this call: another's is not believed then, but its bytes are used */
    private Mono<Current> open(Question question, boolean strict) {
        return question.cache()
                .open(question.id(), question.request().selection(), question.source())
                .flatMap(opened -> strict && opened instanceof Opened.Known known && !known.led()
                        ? revalidate(question, Forward.MISS, true)
                        : Mono.just(current(question, opened)));
    }

    private static Current current(Question question, Opened opened) {
        if (opened instanceof Opened.Known known) {
            return question.known(known.head(), CacheStatus.miss(!known.led()), true);
        }
        return new Current.Pass(
                opened instanceof Opened.Passed passed
                        ? asWanted(passed.content(), question.request().selection())
                        : Optional.empty());
    }

    /** It was opened with another selection than the client's: its range may be wider, or cut short where that has no end. */
    private static Optional<ObjectContent> asWanted(ObjectContent content, Selection selection) {
        if (!(selection instanceof Selection.Range range)) {
            return Optional.of(content);
        }
        Optional<ObjectContent> narrowed = Narrowed.of(content, range.spec());
        if (narrowed.isEmpty()) {
            content.discard();
        }
        return narrowed;
    }

    private Mono<Current> revalidate(Question question, Forward why, boolean strict) {
        CacheStatus status = CacheStatus.asked(why);
        CacheStatus failed = status.notStored();
        return question.cache()
                .revalidate(question.id(), strict, question.source())
                .map(head -> head.head().version().canBePinned()
                        ? question.known(head, status, true)
                        : new Current.Pass(Optional.empty()))
                .onErrorResume(BackendException.class, failure -> what(question, failure))
                .onErrorMap(BackendException.class, failed::on);
    }

    /** Only who wants the bytes is told what is missing, so nobody else's 404 costs another question. */
    private <T> Mono<T> what(Question question, BackendException failure) {
        return question.bodyWanted() ? missingBuckets.explain(question.bucket(), failure) : Mono.error(failure);
    }
}
