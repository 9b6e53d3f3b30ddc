package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.cache.CachePrefetcher;
import io.millrace.cache.CacheReader;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.UncachedOpenResult;
import io.millrace.cache.fill.OpeningFill;
import io.millrace.cache.fill.PrefetchListener;
import io.millrace.cache.fill.UncacheableObjectException;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Prefetches objects into the cache with the steps of a read, but with lower priority than all reads: resident blocks
 * are skipped, blocks in flight are awaited, and nothing is read from a disk. Thread-safe.
 */
public record ObjectPrefetcher(
        CacheReader reader, CachePrefetcher prefetcher, ObjectSourceFactory sources, InstantSource clock) {
    /** The first range of an object of unknown size. */
    private static final RangeSpec BEGINNING = new RangeSpec.Bounded(0, CacheReader.RANGE_BYTES - 1);

    /** Metadata of an object from a listing that was just requested. */
    public record ListedState(long size, Optional<ETag> eTag) {}

    /**
     * The result of a prefetch.
     *
     * @param size bytes of the object
     * @param wanted bytes that were to be prefetched
     * @param fetched bytes that were fetched; 0 if all were resident
     */
    public record PrefetchResult(long size, long wanted, long fetched) {}

    /**
     * An object with metadata.
     *
     * @param opened whether this prefetch opened it
     * @param opening the fill that it began then
     */
    private record CachedObject(ObjectMetadata head, boolean opened, Optional<OpeningFill> opening) {}

    /**
     * Prefetches an object, at the expense of the request in the subscriber's context, if any. Fails with an
     * {@link UncacheableObjectException} if the object has no strong validator, if a rule of its bucket excludes it, or
     * if no disk takes it.
     *
     * @param range the bytes to prefetch; all if empty
     * @param slice the maximum bytes of one step
     * @param throttle completes when the bytes of a step may be requested
     * @param progress called once for each block of the range when it is on a disk
     */
    public Mono<PrefetchResult> prefetch(
            BucketView bucket,
            ObjectRef object,
            Optional<RangeSpec> range,
            Optional<ListedState> listed,
            long slice,
            LongFunction<Mono<Void>> throttle,
            PrefetchListener progress) {
        if (bucket.backend() instanceof LocalObjectFinder own) {
            return Mono.defer(() -> own.find(ReadRequest.of(object), RequestCacheControl.NONE))
                    .contextWrite(context -> context.put(MadeObjectFinder.AHEAD, true))
                    .flatMap(found -> found instanceof CurrentObject.Cached cached
                            ? prefetchFound(cached, range, slice, throttle, progress)
                            : Mono.error(notStored()));
        }
        if (!bucket.mayCache(object)) {
            return Mono.error(notStored());
        }
        ObjectId id = ObjectId.current(bucket.backendName(), object);
        return Mono.deferContextual(context -> prefetch(
                id,
                bucket,
                sources.create(bucket, id, TierRequest.from(context)),
                range,
                listed,
                slice,
                throttle,
                progress));
    }

    /** Prefetches the bytes of an object that is a slice of another one, or made of it, or the gateway's own. */
    private Mono<PrefetchResult> prefetchFound(
            CurrentObject.Cached found,
            Optional<RangeSpec> range,
            long slice,
            LongFunction<Mono<Void>> throttle,
            PrefetchListener progress) {
        long size = found.head().size();
        Optional<ByteRange> wanted = range.map(spec -> spec.resolve(size))
                .orElseGet(() -> size == 0 ? Optional.empty() : Optional.of(new ByteRange(0, size - 1)));
        if (wanted.isEmpty()) {
            return Mono.just(new PrefetchResult(size, 0, 0));
        }
        ByteRange placed = found.placed(wanted.get());
        Optional<RangeSpec> bytes = Optional.of(new RangeSpec.Bounded(placed.first(), placed.last()));
        CachedObject known = new CachedObject(found.metadata(), found.isOpening(), found.opening());
        return Mono.deferContextual(
                        context -> prefetchRange(known, found.source(context), bytes, slice, throttle, progress))
                .map(brought -> new PrefetchResult(size, brought.wanted(), ownPart(brought)));
    }

    /** Objects that share a block would count it once each. */
    private static long ownPart(PrefetchResult brought) {
        return Math.min(brought.fetched(), brought.wanted());
    }

    private Mono<PrefetchResult> prefetch(
            ObjectId id,
            BucketView bucket,
            ObjectSource source,
            Optional<RangeSpec> range,
            Optional<ListedState> listed,
            long slice,
            LongFunction<Mono<Void>> throttle,
            PrefetchListener progress) {
        return reader.find(id)
                .flatMap(head -> isCurrent(head, bucket, listed)
                        ? Mono.just(head)
                        : reader.revalidate(id, false, source.revalidating()))
                .map(head -> new CachedObject(head, false, Optional.empty()))
                // Another gateway may remember what the list has outdated.
                .switchIfEmpty(Mono.defer(
                        () -> openUnknown(id, listed.isPresent() ? source.revalidating() : source, range, listed)))
                .flatMap(cached -> prefetchRange(cached, source, range, slice, throttle, progress));
    }

    private boolean isCurrent(ObjectMetadata head, BucketView bucket, Optional<ListedState> listed) {
        if (listed.isPresent() && !head.mustRevalidate()) {
            return listed.get().size() == head.size()
                    && listed.get().eTag().equals(head.head().eTag());
        }
        return FreshnessDecision.of(head, bucket.freshness(), false, RequestCacheControl.NONE, clock.millis())
                == FreshnessDecision.SERVE;
    }

    /**
     * Opens an object without cached metadata. Requests no more bytes than the fill takes, because the backend charges
     * for bytes in flight when a response is given up.
     */
    private Mono<CachedObject> openUnknown(
            ObjectId id, ObjectSource source, Optional<RangeSpec> range, Optional<ListedState> listed) {
        Mono<CachedObject> headOnly =
                reader.revalidate(id, false, source).map(head -> new CachedObject(head, false, Optional.empty()));
        if (range.isPresent()) {
            return open(id, source, new ByteSelection.RangeSelection(range.get()));
        }
        if (listed.isPresent()) {
            return listed.get().size() > CacheReader.WHOLE_BYTES
                    ? headOnly
                    : open(id, source, new ByteSelection.WholeObject());
        }
        return open(id, source, new ByteSelection.RangeSelection(BEGINNING))
                .onErrorResume(ObjectPrefetcher::hasNoBeginning, empty -> headOnly);
    }

    private static boolean hasNoBeginning(Throwable failure) {
        return failure instanceof BackendException backend
                && backend.kind() == BackendException.FailureKind.INVALID_RANGE;
    }

    private Mono<CachedObject> open(ObjectId id, ObjectSource source, ByteSelection wanted) {
        return prefetcher.open(id, wanted, source).map(opened -> cached(source, opened));
    }

    private static CachedObject cached(ObjectSource source, UncachedOpenResult opened) {
        if (opened instanceof UncachedOpenResult.Cached cached) {
            return new CachedObject(cached.metadata(), cached.isLeader(), cached.opening());
        }
        if (opened instanceof UncachedOpenResult.Uncacheable passed) {
            passed.content().discard();
            if (!source.isCacheable(passed.content().head().size())) {
                throw notStored();
            }
        }
        throw UncacheableObjectException.permanentFailure(
                "it has no strong validator at its backend, or a rule of its bucket excludes its size");
    }

    private static UncacheableObjectException notStored() {
        return UncacheableObjectException.permanentFailure("it is not cached, by a rule of its bucket in the file");
    }

    private Mono<PrefetchResult> prefetchRange(
            CachedObject cached,
            ObjectSource source,
            Optional<RangeSpec> range,
            long slice,
            LongFunction<Mono<Void>> throttle,
            PrefetchListener progress) {
        ObjectMetadata head = cached.head();
        if (!source.isCacheable(head.size())) {
            return Mono.error(notStored());
        }
        Optional<ByteRange> wanted = range.map(spec -> spec.resolve(head.size()))
                .orElseGet(() -> head.size() == 0 ? Optional.empty() : Optional.of(new ByteRange(0, head.size() - 1)));
        if (wanted.isEmpty()) {
            return Mono.just(new PrefetchResult(head.size(), 0, 0));
        }
        ByteRange bytes = wanted.get();
        // If too many scans are running, resident blocks are found one by one.
        return reader.isFullyResident(head, bytes)
                .defaultIfEmpty(false)
                .flatMap(here -> here
                        ? Mono.just(
                                new PrefetchResult(head.size(), bytes.length(), cached.opened() ? bytes.length() : 0))
                        : prefetch(cached, source, bytes, slice, throttle, progress));
    }

    private Mono<PrefetchResult> prefetch(
            CachedObject cached,
            ObjectSource source,
            ByteRange bytes,
            long slice,
            LongFunction<Mono<Void>> throttle,
            PrefetchListener progress) {
        ObjectMetadata head = cached.head();
        PrefetchListener passed = (count, brought) -> progress.resident(count, brought || cached.opened());
        return slices(bytes, slice)
                .concatMap(
                        part -> throttle.apply(part.length())
                                .then(prefetcher.prefetch(head, part, source, cached.opening(), passed)),
                        1)
                .reduce(0L, Long::sum)
                .map(brought ->
                        new PrefetchResult(head.size(), bytes.length(), cached.opened() ? bytes.length() : brought));
    }

    private static Flux<ByteRange> slices(ByteRange bytes, long slice) {
        return Flux.generate(bytes::first, (first, sink) -> {
            long last = Math.min(bytes.last(), first + slice - 1);
            sink.next(new ByteRange(first, last));
            if (last == bytes.last()) {
                sink.complete();
            }
            return last + 1;
        });
    }
}
