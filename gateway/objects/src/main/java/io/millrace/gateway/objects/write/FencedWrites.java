package io.millrace.gateway.objects.write;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CachePrefetcher;
import io.millrace.cache.WriteFence;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketSettings.WriteMode;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.BackendObjectSource;
import io.millrace.gateway.objects.read.CacheInvalidation;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.kit.async.UncancellableMono;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.scheduler.Schedulers;

/**
 * Sends writes to the backend so that every read after the response sees what was written. It invalidates an object
 * before its write is sent, and metadata requested before the response is not published after it. A write that was sent
 * continues if its client disconnects, because only its end tells the new state. Thread-safe.
 */
public final class FencedWrites {
    /** The version id of objects written without versioning, or while it was suspended. */
    private static final String NULL_VERSION = "null";

    private static final Logger log = LoggerFactory.getLogger(FencedWrites.class);

    private final Optional<WriteFence> fence;
    private final Optional<CachePrefetcher> prefetcher;
    private final CacheInvalidation invalidation;
    private final WriteReplication replication;
    private final CacheableWriteBufferBudget budget = new CacheableWriteBufferBudget();
    private final LongAdder underWay = new LongAdder();

    /** @param cache empty if all reads bypass the cache */
    public FencedWrites(Optional<BlockCache> cache, CurrentObjectFinder objects) {
        this(cache, objects, WriteReplication.NONE);
    }

    /**
     * Creates the writes of a gateway that has others beside it.
     *
     * @param cache empty if all reads bypass the cache
     * @param replication awaited before the outcome of a write is returned
     */
    public FencedWrites(Optional<BlockCache> cache, CurrentObjectFinder objects, WriteReplication replication) {
        this.fence = cache.map(BlockCache::writeFence);
        this.prefetcher = cache.map(BlockCache::prefetcher);
        this.invalidation = objects.invalidation();
        this.replication = replication;
    }

    /**
     * Stores an object at the backend, and also in the cache if the bucket's write mode is {@code fill} and the object
     * is small.
     */
    public Mono<WriteResult> put(BucketView bucket, NewObject object, UploadBody body) {
        boolean buffered = bucket.settings().write() == WriteMode.FILL
                && !bucket.isScratch()
                && bucket.mayCache(object.object(), body.length());
        if (prefetcher.isEmpty() || !buffered || isEncryptedByTheClient(object)) {
            return fenced(bucket, object.object(), bucket.backend().put(object, body));
        }
        return Mono.defer(() -> {
            CacheableWriteBuffer held = budget.reserve(body.length());
            UploadBody watched = new UploadBody(body.length(), body.pieces().doOnNext(held::add), body.trailer());
            List<ObjectId> ids = ids(bucket, object.object(), Optional.empty());
            return uncancellable(guarded(ids, recorded(ids), bucket.backend().put(object, watched))
                    .doOnNext(written -> fill(bucket, object.object(), written, held))
                    .doOnError(failure -> held.release()));
        });
    }

    /** Sends a write of one object. */
    public <T> Mono<T> fenced(BucketView bucket, ObjectRef object, Mono<T> write) {
        return fenced(bucket, object, Optional.empty(), write);
    }

    /** Sends a write of one object, or of one version of it. */
    public <T> Mono<T> fenced(BucketView bucket, ObjectRef object, Optional<String> versionId, Mono<T> write) {
        List<ObjectId> ids = ids(bucket, object, versionId);
        return uncancellable(guarded(ids, recorded(ids), write));
    }

    /**
     * Sends a write that may change anything in a bucket; invalidates all its objects and listings before and after. A
     * write without a response may still happen, so the bucket is invalidated again when that has become improbable.
     */
    public <T> Mono<T> fencedBucket(BucketView bucket, Mono<T> write) {
        Mono<T> fenced = endedBy(
                write,
                outcome -> invalidateBucket(bucket).doOnTerminate(() -> {
                    if (!isAcknowledged(outcome)) {
                        invalidateBucketLater(bucket);
                    }
                }));
        return uncancellable(invalidateHere(bucket, "")
                .then(replication.beginning(bucket.backendName(), bucket.backendBucket()))
                .onErrorMap(failure -> refusal("bucket " + bucket.name(), failure))
                .then(fenced));
    }

    /**
     * Sends the creation or deletion of a bucket; its listings are invalidated afterwards, also if the client
     * disconnects.
     */
    public <T> Mono<T> bucketChange(BucketView bucket, Mono<T> change) {
        Supplier<Mono<Void>> changed = () -> {
            invalidation.afterBucketWrite(bucket);
            return replication.bucketChanged(bucket.backendName(), bucket.backendBucket());
        };
        return counted(replication
                .beginning(bucket.backendName(), bucket.backendBucket())
                .onErrorMap(failure -> refusal("bucket " + bucket.name(), failure))
                .then(endedBy(change, outcome -> changed.get()))
                .doOnCancel(() -> changed.get().subscribe(done -> {}, FencedWrites::warnOfReplication)));
    }

    private static void warnOfReplication(Throwable failure) {
        log.warn("A change of a bucket was not recorded for the other gateways", failure);
    }

    /** Invalidates a bucket again. If that cannot be made durable, it holds until the next start. */
    private Mono<Void> invalidateBucket(BucketView bucket) {
        return invalidateBelow(bucket, "").onErrorResume(failure -> {
            log.warn(
                    "Bucket {} was changed, but this was not recorded; after a restart old objects may be served",
                    bucket.name(),
                    failure);
            return Mono.empty();
        });
    }

    private void invalidateBucketLater(BucketView bucket) {
        Schedulers.parallel()
                .schedule(
                        () -> invalidateBucket(bucket).subscribe(),
                        WriteFence.UNANSWERED_WRITE.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    /** Sends deletions of objects, or of versions of them; each outcome ends the write of its object. */
    public Mono<List<DeleteOutcome>> fenced(
            BucketView bucket, List<Deletion> deletions, Mono<List<DeleteOutcome>> write) {
        Set<ObjectId> ids = ids(bucket, deletions.stream());
        return uncancellable(recorded(ids).then(endedBy(write, outcome -> endDeletions(bucket, ids, outcome))));
    }

    private Mono<Void> endDeletions(BucketView bucket, Set<ObjectId> ids, Signal<List<DeleteOutcome>> end) {
        List<DeleteOutcome> outcomes = end.get();
        if (outcomes == null) {
            return end(ids, isAcknowledged(end));
        }
        Set<ObjectId> unanswered = ids(
                bucket,
                outcomes.stream()
                        .filter(outcome -> !outcome.failure()
                                .map(FencedWrites::isAcknowledged)
                                .orElse(true))
                        .map(DeleteOutcome::deletion));
        Map<Boolean, List<ObjectId>> byOutcome =
                ids.stream().collect(Collectors.partitioningBy(id -> !unanswered.contains(id)));
        return Flux.fromIterable(byOutcome.entrySet())
                .filter(known -> !known.getValue().isEmpty())
                // All are ended here before the first waits for others.
                .map(known -> end(known.getValue(), known.getKey()))
                .collectList()
                .flatMap(ends -> Mono.whenDelayError(ends));
    }

    /**
     * Invalidates an object as a write of it would: its next read asks the backend. Fails with an {@link IOException}
     * if that could not be made durable; it holds until the next start then.
     */
    public Mono<Void> invalidate(BucketView bucket, ObjectRef object) {
        return invalidate(bucket, object, Optional.empty());
    }

    /** Invalidates an object and one version of it. */
    public Mono<Void> invalidate(BucketView bucket, ObjectRef object, Optional<String> versionId) {
        List<ObjectId> ids = ids(bucket, object, versionId);
        return uncancellable(guarded(ids, Mono.empty(), begun(ids)));
    }

    /**
     * Invalidates all objects of a bucket whose keys begin with {@code prefix}, also across a crash; see
     * {@link WriteFence#invalidate(ObjectPrefix)}.
     */
    public Mono<Void> invalidateBelow(BucketView bucket, String prefix) {
        return uncancellable(endedBy(
                invalidateHere(bucket, prefix),
                outcome -> Flux.fromStream(prefixes(bucket, prefix))
                        .concatMap(replication::invalidated)
                        .then()));
    }

    private <T> Mono<T> uncancellable(Mono<T> change) {
        return UncancellableMono.of(counted(change));
    }

    private <T> Mono<T> counted(Mono<T> change) {
        return Mono.defer(() -> {
            underWay.increment();
            return change.doFinally(end -> underWay.decrement());
        });
    }

    /** Returns the number of writes and invalidations that have begun and not ended, here and at other gateways. */
    public long underWay() {
        return underWay.sum();
    }

    private Mono<Void> invalidateHere(BucketView bucket, String prefix) {
        return Flux.fromStream(prefixes(bucket, prefix))
                .concatMap(below -> fence.map(writes -> writes.invalidate(below))
                        .orElse(Mono.empty())
                        // Also if it could not be made durable: it holds until the next start.
                        .doOnTerminate(() -> invalidation.afterPrefixInvalidation(below)))
                .then();
    }

    /** Returns the prefix at the backend and, if the backend treats keys as paths, its alias; none of what is kept. */
    private static Stream<ObjectPrefix> prefixes(BucketView bucket, String prefix) {
        if (bucket.isScratch()) {
            return Stream.empty();
        }
        String inside = bucket.toBackend(prefix);
        Optional<ObjectRef> other = inside.isEmpty()
                ? Optional.empty()
                : bucket.alias(new ObjectRef(bucket.backendBucket(), new ObjectKey(inside)));
        return Stream.concat(
                        Stream.of(inside),
                        other.stream().map(named -> named.key().value()))
                .map(text -> new ObjectPrefix(bucket.backendName(), bucket.backendBucket(), text));
    }

    private <T> Mono<T> guarded(List<ObjectId> ids, Mono<Void> begun, Mono<T> write) {
        return begun.then(endedBy(write, outcome -> end(ids, isAcknowledged(outcome))));
    }

    /**
     * Returns the outcome of work, whatever it is, when its end has completed; the failure of its end if that fails.
     */
    private static <T> Mono<T> endedBy(Mono<T> work, Function<Signal<T>, Mono<Void>> end) {
        return work.materialize().flatMap(outcome -> end.apply(outcome).then(outcomeOf(outcome)));
    }

    /** Unlike dematerialize(), this does not cancel work that is over. */
    private static <T> Mono<T> outcomeOf(Signal<T> outcome) {
        Throwable failure = outcome.getThrowable();
        return failure == null ? Mono.justOrEmpty(outcome.get()) : Mono.error(failure);
    }

    /** Announces the writes of all objects, also if some fail, because each is ended later. */
    private Mono<Void> begun(Collection<ObjectId> ids) {
        if (ids.isEmpty()) {
            return Mono.empty();
        }
        return fence.map(writes -> Flux.fromIterable(ids)
                        .flatMapDelayError(writes::beginWrite, ids.size(), 1)
                        .then()
                        .onErrorMap(
                                failures -> Exceptions.unwrapMultiple(failures).get(0)))
                .orElse(Mono.empty());
    }

    /** Announces a write; refuses it, and ends it here, if the invalidation of its objects cannot be recorded. */
    private Mono<Void> recorded(Collection<ObjectId> ids) {
        if (ids.isEmpty()) {
            return Mono.empty();
        }
        ObjectId first = ids.iterator().next();
        return begun(ids)
                .then(replication.beginning(first.backend(), first.object().bucket()))
                .doOnError(failure -> endHere(ids, true))
                .onErrorMap(failure -> refusal(first.object().toString(), failure));
    }

    /** Returns the error for a write that was not sent, because old metadata would be used after a crash. */
    private static S3Exception refusal(String what, Throwable failure) {
        if (failure instanceof S3Exception known) {
            return known;
        }
        log.warn(
                "A write of {} is refused, because neither the metadata store nor a cache disk nor the data folder can"
                        + " record it; check their disks: {}",
                what,
                failure.toString());
        return new S3Exception(
                S3ErrorCode.SERVICE_UNAVAILABLE,
                "The gateway cannot record this change, so it was not sent to the storage behind it. Please try"
                        + " again.");
    }

    private Mono<Void> end(Collection<ObjectId> ids, boolean acknowledged) {
        endHere(ids, acknowledged);
        return replication.written(ids, acknowledged);
    }

    private void endHere(Collection<ObjectId> ids, boolean acknowledged) {
        for (ObjectId id : ids) {
            fence.ifPresent(writes -> writes.endWrite(id, acknowledged));
            invalidation.afterWrite(id, acknowledged);
        }
    }

    private static Set<ObjectId> ids(BucketView bucket, Stream<Deletion> deletions) {
        return deletions
                .flatMap(deletion -> ids(bucket, deletion.object(), deletion.versionId()).stream())
                .collect(Collectors.toSet());
    }

    private void fill(BucketView bucket, ObjectRef object, WriteResult written, CacheableWriteBuffer held) {
        ObjectId id = ObjectId.current(bucket.backendName(), object);
        Optional<List<ByteBuf>> whole = written.eTag().isPresent() ? held.take() : Optional.empty();
        if (whole.isEmpty()) {
            held.release();
            return;
        }
        prefetcher
                .orElseThrow()
                .fillWritten(id, written.eTag().get(), whole.get(), new BackendObjectSource(bucket, id))
                .doFinally(end -> held.release())
                .subscribe(done -> {}, failure -> log.debug("The object written to {} was not cached", id, failure));
    }

    /**
     * Returns the ids that a write affects. Without a version it may write the version {@code null} if the backend has
     * versions. None of a scratch bucket, which has nothing behind it: what is cached is the object, and its backend
     * puts another in its place in one step.
     */
    private static List<ObjectId> ids(BucketView bucket, ObjectRef object, Optional<String> versionId) {
        if (bucket.isScratch()) {
            return List.of();
        }
        return Stream.concat(Stream.of(object), bucket.alias(object).stream())
                .flatMap(named -> idsAsNamed(bucket, named, versionId).stream())
                .toList();
    }

    private static List<ObjectId> idsAsNamed(BucketView bucket, ObjectRef object, Optional<String> versionId) {
        ObjectId current = ObjectId.current(bucket.backendName(), object);
        boolean versions = bucket.backend().capabilities().contains(Capability.VERSIONS);
        return versionId.isEmpty() && !versions
                ? List.of(current)
                : List.of(
                        current,
                        new ObjectId(bucket.backendName(), object, Optional.of(versionId.orElse(NULL_VERSION))));
    }

    private static boolean isAcknowledged(Signal<?> outcome) {
        Throwable failure = outcome.getThrowable();
        return failure == null || isAcknowledged(failure);
    }

    /** Returns whether the outcome is known: the backend responded, or never received the whole request. */
    private static boolean isAcknowledged(Throwable failure) {
        if (!(failure instanceof BackendException refused)) {
            // The request body failed, so the backend never had all of it.
            return true;
        }
        return switch (refused.kind()) {
            case UNAVAILABLE, CREDENTIALS_UNAVAILABLE, INVALID_RESPONSE, THROTTLED, UNEXPECTED -> false;
            // The gateway itself knows whether it sent the request.
            case BUSY -> refused.isUnprocessed();
            default -> true;
        };
    }

    private static boolean isEncryptedByTheClient(NewObject object) {
        return object.headers()
                .first("x-amz-server-side-encryption-customer-algorithm")
                .isPresent();
    }
}
