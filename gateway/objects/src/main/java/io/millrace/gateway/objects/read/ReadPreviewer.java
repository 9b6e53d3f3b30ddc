package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.CacheReader;
import io.millrace.cache.WriteFence;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import reactor.core.publisher.Mono;

/**
 * Previews reads: tells what a plain GET of an object would do now. Reads the cached metadata from memory or the
 * metadata store and asks no backend. Thread-safe.
 */
public final class ReadPreviewer {
    private static final RequestCacheControl ONLY_IF_CACHED =
            new RequestCacheControl(true, false, OptionalLong.empty());

    private final Optional<CacheReader> reader;
    private final Optional<WriteFence> writeFence;
    private final NegativeCache negativeCache;
    private final InstantSource clock;
    private final CacheLease lease;

    ReadPreviewer(
            Optional<CacheReader> reader,
            Optional<WriteFence> writeFence,
            NegativeCache negativeCache,
            InstantSource clock,
            CacheLease lease) {
        this.reader = reader;
        this.writeFence = writeFence;
        this.negativeCache = negativeCache;
        this.clock = clock;
        this.lease = lease;
    }

    /**
     * Returns what a plain GET would do now; empty if too many scans of large objects are running. In a derived bucket
     * all but the outcome is of what contains the object.
     */
    public Mono<ReadPreview> preview(BucketView bucket, ObjectRef object) {
        if (bucket.backend() instanceof DerivedObjectFinder derived) {
            return derived.containerOf(object)
                    .map(container -> preview(derived.source(), container)
                            .flatMap(whole -> derived.isPart()
                                    ? ofSlice(derived, ReadRequest.of(object), whole)
                                    : ofMade(derived, ReadRequest.of(object), whole)))
                    .orElseGet(() -> Mono.just(ReadPreview.unknown(OptionalLong.empty(), false, false)));
        }
        if (reader.isEmpty() || !bucket.mayCache(object)) {
            return Mono.just(ReadPreview.WITHOUT_CACHE);
        }
        if (bucket.isScratch() && bucket.backend() instanceof LocalObjectFinder own) {
            return ofScratch(bucket, own.find(ReadRequest.of(object), ONLY_IF_CACHED));
        }
        ObjectId id = ObjectId.current(bucket.backendName(), object);
        boolean aliased = bucket.alias(object).isPresent();
        RequestCacheControl client = aliased || !lease.isHeld(bucket)
                ? RequestCacheControl.NONE.requiringRevalidation()
                : RequestCacheControl.NONE;
        FreshnessSettings freshness = bucket.freshness();
        Mono<ReadPreview> unknown = Mono.fromSupplier(() -> ReadPreview.unknown(
                negativeCache.remainingMillis(id, freshness, client),
                writeFence.orElseThrow().isBeingWritten(id),
                aliased));
        return reader.get()
                .find(id)
                .map(head -> preview(head, bucket, client, aliased))
                .defaultIfEmpty(unknown)
                .flatMap(preview -> preview);
    }

    /** Returns the preview for a slice, of which all bytes may be here although the rest of its container is not. */
    private static Mono<ReadPreview> ofSlice(DerivedObjectFinder derived, ReadRequest slice, ReadPreview whole) {
        if (whole.next() != ReadPreview.Next.PARTIAL) {
            return Mono.just(whole);
        }
        return derived.find(slice, ONLY_IF_CACHED)
                .flatMap(ReadPreviewer::isHere)
                .onErrorReturn(BackendException.class, false)
                .map(here -> here ? whole.withNext(ReadPreview.Next.HIT) : whole);
    }

    /** Returns the preview for what is made of an object, which may not be here although that is. */
    private Mono<ReadPreview> ofMade(DerivedObjectFinder derived, ReadRequest request, ReadPreview original) {
        if (original.next() != ReadPreview.Next.PARTIAL && original.next() != ReadPreview.Next.HIT) {
            return Mono.just(original);
        }
        return derived.find(request, ONLY_IF_CACHED)
                .onErrorReturn(BackendException.class, new CurrentObject.NotCached())
                .flatMap(found -> found instanceof CurrentObject.Cached made
                        ? reader.orElseThrow()
                                .countResidentBytes(made.metadata())
                                .map(bytes -> original.withMade(made.metadata(), bytes))
                        : Mono.just(original.withNext(ReadPreview.Next.MISS)));
    }

    /** Returns the preview of an object that is either there as a whole, or nowhere. */
    private Mono<ReadPreview> ofScratch(BucketView bucket, Mono<CurrentObject> found) {
        return found.ofType(CurrentObject.Cached.class)
                .flatMap(there -> preview(there.metadata(), bucket, RequestCacheControl.NONE, false))
                .map(there -> there.withNext(ReadPreview.Next.HIT))
                .onErrorResume(
                        BackendException.class,
                        failure -> failure.kind() == FailureKind.NO_SUCH_KEY
                                ? Mono.just(ReadPreview.unknown(OptionalLong.empty(), false, false)
                                        .withNext(ReadPreview.Next.MISSING))
                                : Mono.error(failure));
    }

    private static Mono<Boolean> isHere(CurrentObject slice) {
        if (!(slice instanceof CurrentObject.Cached cached)) {
            return Mono.just(false);
        }
        long size = cached.head().size();
        return size == 0 ? Mono.just(true) : cached.isFullyResident(new ByteRange(0, size - 1));
    }

    private Mono<ReadPreview> preview(
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
                ReadPreview.Next.BYPASS,
                Optional.of(head),
                0,
                0,
                age,
                fresh,
                OptionalLong.empty(),
                false,
                aliased,
                Optional.empty());
    }
}
