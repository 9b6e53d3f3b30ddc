package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.cache.BlockCache;
import io.millrace.cache.OpenResult;
import io.millrace.cache.fill.NotCachedException;
import io.millrace.cache.fill.PrefetchProgress;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.freshness.RequestCacheControl;
import java.time.InstantSource;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Brings objects into the cache before they are read, by the same steps as a read and behind all reads: what is here is left alone,
 * what is on its way is waited for, and nothing is read from a disk. Safe for use by any number of threads.
 */
public final class ObjectPrefetcher {
    /** What is asked for first of an object whose size is not known. */
    private static final RangeSpec BEGINNING = new RangeSpec.Bounded(0, BlockCache.RANGE_BYTES - 1);

    private final BlockCache cache;
    private final InstantSource clock;

    public ObjectPrefetcher(BlockCache cache, InstantSource clock) {
        this.cache = cache;
        this.clock = clock;
    }

    /** What a list that was just asked for told of an object. */
    public record Told(long size, Optional<ETag> eTag) {}

    /**
     * What became of an object.
     *
     * @param size bytes of the object
     * @param wanted bytes of it that were wanted
     * @param brought bytes that came; 0 if all were here
     */
    public record Brought(long size, long wanted, long brought) {}

    /** An object that is known now. */
    private record Known(ObjectMetadata head, boolean opened) {}

    /**
     * Brings an object. Fails with a {@link NotCachedException} if the backend does not tell versions of it apart, if a rule of its
     * bucket keeps it out, or if no disk takes it.
     *
     * @param range which bytes; all if empty
     * @param slice so many bytes at most at a time, each told of by {@code pace} before it is asked for
     * @param progress hears of each block of the range when it is on a disk, once in all
     */
    public Mono<Brought> bring(
            BucketView bucket,
            ObjectRef object,
            Optional<RangeSpec> range,
            Optional<Told> told,
            long slice,
            Pace pace,
            Progress progress) {
        if (!bucket.stores(object)) {
            return Mono.error(notStored());
        }
        ObjectId id = ObjectId.current(bucket.backendName(), object);
        BackendObjectSource source = new BackendObjectSource(bucket, id);
        return cache.reader()
                .find(id)
                .flatMap(head -> isCurrent(head, bucket, told)
                        ? Mono.just(head)
                        : cache.reader().revalidate(id, false, source))
                .map(head -> new Known(head, false))
                .switchIfEmpty(Mono.defer(() -> look(id, source, range, told)))
                .flatMap(known -> warm(known, source, range, slice, pace, progress));
    }

    /** Hears how an object comes into the cache. */
    @FunctionalInterface
    public interface Progress {
        /**
         * Bytes of the range are in the cache now.
         *
         * @param brought whether they came from the backend; otherwise they were here
         */
        void passed(long bytes, boolean brought);
    }

    /** Waits until more bytes may be asked for. */
    @FunctionalInterface
    public interface Pace {
        Mono<Void> next(long bytes);
    }

    private boolean isCurrent(ObjectMetadata head, BucketView bucket, Optional<Told> told) {
        if (told.isPresent() && !head.mustRevalidate()) {
            return told.get().size() == head.size()
                    && told.get().eTag().equals(head.head().eTag());
        }
        return ReadPlan.of(head, bucket.freshness(), false, RequestCacheControl.NONE, clock.millis()) == ReadPlan.SERVE;
    }

    /** Asks for no more than the answer's fill takes: what is on its way when an answer is given up is paid for twice. */
    private Mono<Known> look(ObjectId id, BackendObjectSource source, Optional<RangeSpec> range, Optional<Told> told) {
        Mono<Known> headOnly = cache.reader().revalidate(id, false, source).map(head -> new Known(head, false));
        if (range.isPresent()) {
            return open(id, source, new ByteSelection.RangeSelection(range.get()));
        }
        if (told.isPresent()) {
            return told.get().size() > BlockCache.WHOLE_BYTES
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

    private Mono<Known> open(ObjectId id, BackendObjectSource source, ByteSelection wanted) {
        return cache.prefetcher().openAhead(id, wanted, source).map(opened -> known(source, opened));
    }

    private static Known known(BackendObjectSource source, OpenResult opened) {
        if (opened instanceof OpenResult.Cached known) {
            return new Known(known.metadata(), known.isLeader());
        }
        if (opened instanceof OpenResult.Uncacheable passed) {
            passed.content().discard();
            if (!source.isCacheable(passed.content().head().size())) {
                throw notStored();
            }
        }
        throw NotCachedException.permanentFailure(
                "its backend tells no versions of it apart, or it has another size than its bucket's rules let be cached");
    }

    private static NotCachedException notStored() {
        return NotCachedException.permanentFailure("it is not cached, by a rule of its bucket in the file");
    }

    private Mono<Brought> warm(
            Known known,
            BackendObjectSource source,
            Optional<RangeSpec> range,
            long slice,
            Pace pace,
            Progress progress) {
        ObjectMetadata head = known.head();
        if (!source.isCacheable(head.size())) {
            return Mono.error(notStored());
        }
        Optional<ByteRange> wanted = range.map(spec -> spec.resolve(head.size()))
                .orElseGet(() -> head.size() == 0 ? Optional.empty() : Optional.of(new ByteRange(0, head.size() - 1)));
        if (wanted.isEmpty()) {
            return Mono.just(new Brought(head.size(), 0, 0));
        }
        ByteRange bytes = wanted.get();
        // Where too many look, what is here is found piece by piece.
        return cache.inventory()
                .isFullyResident(head, bytes)
                .defaultIfEmpty(false)
                .flatMap(here -> here
                        ? Mono.just(new Brought(head.size(), bytes.length(), known.opened() ? bytes.length() : 0))
                        : bring(known, source, bytes, slice, pace, progress));
    }

    private Mono<Brought> bring(
            Known known, BackendObjectSource source, ByteRange bytes, long slice, Pace pace, Progress progress) {
        ObjectMetadata head = known.head();
        PrefetchProgress passed = (count, brought) -> progress.passed(count, brought || known.opened());
        return slices(bytes, slice)
                .concatMap(
                        part -> pace.next(part.length()).then(cache.prefetcher().prefetch(head, part, source, passed)),
                        1)
                .reduce(0L, Long::sum)
                .map(brought -> new Brought(head.size(), bytes.length(), known.opened() ? bytes.length() : brought));
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
