package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPage.ListedChecksums;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.CacheStatus;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ListResult;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A derived bucket: what a transform makes of each object of another bucket, under the same key. A result is a function
 * of the current version of that object, of which the source's rules say how fresh it is, and is cached under an id
 * that names this version, so nothing of it can be outdated. Thread-safe.
 */
final class TransformBackend extends DerivedBackend {
    /** The results of a page of a listing that are looked up at a time. */
    private static final int LOOKUPS = 16;

    private final String backendName;
    private final Transform transform;

    /** @param backendName the name that it has as a backend, under which results are cached */
    TransformBackend(String backendName, Transform transform, BucketView source, CurrentObjectFinder objects) {
        super(source, objects);
        this.backendName = backendName;
        this.transform = transform;
    }

    @Override
    public Optional<ObjectRef> containerOf(ObjectRef object) {
        return Optional.of(source.at(object.key()));
    }

    @Override
    public Optional<Maker> maker() {
        TransformSettings settings = transform.settings();
        return Optional.of(new Maker(transform.name(), settings.version(), settings.args()));
    }

    @Override
    public Mono<CurrentObject> find(ReadRequest request, RequestCacheControl client) {
        return result(atSource(original(request), client), request, client.onlyIfCached());
    }

    @Override
    public Mono<CurrentObject> revalidate(ReadRequest request) {
        return source.freshness().mode() == FreshnessSettings.Mode.IMMUTABLE
                ? find(request, RequestCacheControl.NONE)
                : result(objects.revalidate(source, original(request)), request, false);
    }

    private ReadRequest original(ReadRequest request) {
        return ReadRequest.of(source.at(request.object().key()));
    }

    /** Returns the result for the current version of an object; known at once if that and the result's metadata are. */
    private Mono<CurrentObject> result(Mono<CurrentObject> original, ReadRequest request, boolean onlyIfCached) {
        return then(original, current -> {
            if (current instanceof CurrentObject.Cached cached
                    && source.mayCache(original(request).object(), cached.head().size())) {
                return result(SourceObject.of(cached), request, cached.status(), cached.isForwarded(), onlyIfCached);
            }
            if (onlyIfCached) {
                return Mono.just(new CurrentObject.NotCached());
            }
            if (!objects.isCaching()) {
                return Mono.just(withoutBytes(current));
            }
            CacheStatus revalidated = CacheStatus.ofForwarded(CacheStatus.Forward.STALE);
            return atBackend(request).flatMap(opened -> result(opened, request, revalidated, true, false));
        });
    }

    private Mono<CurrentObject> result(
            SourceObject original,
            ReadRequest request,
            CacheStatus status,
            boolean wasForwarded,
            boolean onlyIfCached) {
        String making = making(original, request);
        Mono<CurrentObject> found = objects.made()
                .find(
                        idOf(request.object(), making),
                        context -> source(
                                original,
                                making,
                                request,
                                TierRequest.from(context).ofCache()),
                        status,
                        wasForwarded,
                        onlyIfCached);
        return then(
                found,
                made -> Mono.just(
                        made instanceof CurrentObject.Cached cached
                                ? part(request.selection(), cached.head())
                                        .map(cached::ofPart)
                                        .orElse(cached)
                                : made));
    }

    private ObjectId idOf(ObjectRef object, String making) {
        return new ObjectId(backendName, object, Optional.of(making));
    }

    private String making(SourceObject original, ReadRequest request) {
        return transform.making(place(request.object()), original.head());
    }

    /** Returns where the object is that another one is made of. */
    private String place(ObjectRef object) {
        return source.backendName() + "/" + source.name() + "/" + source.at(object.key());
    }

    private TransformSource source(SourceObject original, String making, ReadRequest request, TierRequest tier) {
        return new TransformSource(
                transform,
                original,
                making,
                source.name().value(),
                request.object().key(),
                tier);
    }

    private Mono<SourceObject> atBackend(ReadRequest request) {
        ObjectRef original = original(request).object();
        return orMissingSource(SourceObject.atBackend(source, ObjectId.current(source.backendName(), original)));
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return whole(request).map(made -> {
            made.release();
            return ReadDecision.of(byTag(request), made.head());
        });
    }

    /** Its date is that of the object, whatever makes it: it tells no two results apart. */
    private static ReadRequest byTag(ReadRequest request) {
        return request.withConditions(request.conditions().withoutIfModifiedSince());
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return Mono.deferContextual(
                context -> whole(request).map(made -> content(request, made, TierRequest.from(context))));
    }

    /** A result, from the cache or without it. */
    private record Whole(ObjectHead head, Optional<CurrentObject.Cached> cached, Optional<TransformResult> made) {
        void release() {
            made.ifPresent(TransformResult::release);
        }

        Flux<ByteBuf> bytes(ByteRange range) {
            return cached.map(object -> object.readBuffers(range))
                    .orElseGet(() -> made.orElseThrow().bytes(range));
        }
    }

    private Mono<Whole> whole(ReadRequest request) {
        ReadRequest plain = ReadRequest.of(request.object());
        return Mono.defer(() -> find(plain, RequestCacheControl.NONE))
                .flatMap(current -> current instanceof CurrentObject.Cached cached
                        ? Mono.just(new Whole(cached.head(), Optional.of(cached), Optional.empty()))
                        : alone(plain));
    }

    /** Makes a result for one request, which the cache does not take. */
    private Mono<Whole> alone(ReadRequest request) {
        return Mono.deferContextual(context -> atBackend(request)
                .flatMap(original -> source(original, making(original, request), request, TierRequest.from(context))
                        .make())
                .map(made -> new Whole(made.head(), Optional.empty(), Optional.of(made))));
    }

    /** @param asker the facts about the request, which whoever subscribes to the body does not know */
    private static ObjectContent content(ReadRequest request, Whole made, TierRequest asker) {
        HeadResult selected;
        try {
            selected = ReadDecision.of(byTag(request), made.head());
        } catch (BackendException refused) {
            made.release();
            throw refused;
        }
        long size = selected.head().size();
        if (size == 0) {
            made.release();
            return new ObjectContent(selected.head(), selected.range(), Flux.empty());
        }
        ByteRange range = selected.range().orElseGet(() -> new ByteRange(0, size - 1));
        return new ObjectContent(
                selected.head(), selected.range(), made.bytes(range).contextWrite(asker::writeTo));
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        ListRequest listing = new ListRequest(
                source.backendBucket(),
                source.toBackend(request.prefix()),
                request.delimiter(),
                atSource(request),
                request.maxKeys(),
                false);
        return objects.list(source, listing, RequestCacheControl.NONE)
                .map(ListResult::page)
                .flatMap(page -> Flux.fromIterable(page.objects())
                        .flatMapSequential(object -> listed(request, object), LOOKUPS)
                        .collectList()
                        .map(listed -> new ListPage(
                                listed,
                                page.prefixes().stream().map(source::toClient).toList(),
                                page.next().map(this::fromSource))));
    }

    private PageStart atSource(ListRequest request) {
        PageStart start = request.start();
        if (start instanceof PageStart.Marker marker) {
            return new PageStart.Marker(source.markerToBackend(request.prefix(), marker.text()));
        }
        String after = start instanceof PageStart.StartAfter named ? named.text() : "";
        String marker = source.markerToBackend(request.prefix(), after);
        return start instanceof PageStart.ContinuationToken || marker.isEmpty()
                ? start
                : new PageStart.StartAfter(marker);
    }

    private PageStart fromSource(PageStart next) {
        if (next instanceof PageStart.Marker marker) {
            return new PageStart.Marker(source.toClient(marker.text()));
        }
        return next instanceof PageStart.StartAfter after
                ? new PageStart.StartAfter(source.toClient(after.text()))
                : next;
    }

    /**
     * Returns an object of a listing. Of one that was not made yet the size is the largest that it may have: who reads
     * as much as a listing says gets all there is, and who trusted a smaller size would cut it off.
     */
    private Mono<ListedObject> listed(ListRequest request, ListedObject original) {
        ObjectKey key = new ObjectKey(source.toClient(original.key().value()));
        ObjectRef object = new ObjectRef(request.bucket(), key);
        long most = TransformSource.isFolder(key, original.size())
                ? 0
                : transform.settings().maxSize().bytes();
        return known(object, original)
                .map(head -> listed(key, head.size(), head.eTag(), original))
                .defaultIfEmpty(listed(key, most, Optional.empty(), original));
    }

    private Mono<ObjectHead> known(ObjectRef object, ListedObject original) {
        Optional<ETag> tag = original.eTag().filter(listed -> !listed.weak());
        if (tag.isEmpty() || !objects.isCaching()) {
            return Mono.empty();
        }
        ObjectId id = idOf(object, transform.making(place(object), tag.get().toString(), original.size()));
        return objects.made()
                .find(
                        id,
                        context -> {
                            throw new IllegalStateException("a listing makes nothing");
                        },
                        CacheStatus.BYPASS,
                        false,
                        true)
                .flatMap(found ->
                        found instanceof CurrentObject.Cached cached ? Mono.just(cached.head()) : Mono.empty());
    }

    private static ListedObject listed(ObjectKey key, long size, Optional<ETag> tag, ListedObject original) {
        return new ListedObject(
                key, size, tag, original.lastModified(), "STANDARD", ListedChecksums.NONE, Optional.empty());
    }

    @Override
    public String place() {
        return "made of another one by a transform";
    }
}
