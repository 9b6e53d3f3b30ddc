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
import io.millrace.cache.WriteFence;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketSettings.WriteMode;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.BackendObjectSource;
import io.millrace.gateway.objects.read.CachedObjects;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * Lets writes through so that what was acknowledged is what every later read sees. What is cached of an object is forgotten
 * before its write is sent; nothing that was asked before the answer is taken for known after it. A write that was sent goes on
 * if its client leaves: only its end tells what the object is. Safe for use by any number of threads.
 */
public final class FencedWrites {
    /** What was written without versions, or while they were suspended. */
    private static final String NULL_VERSION = "null";

    private static final Logger log = LoggerFactory.getLogger(FencedWrites.class);

    private final Optional<BlockCache> cache;
    private final CachedObjects objects;
    private final WriteBufferBudget budget = new WriteBufferBudget();
    private final PendingUploadCreations beginning = new PendingUploadCreations();

    /**
     * @param cache none if everything is passed through
     */
    public FencedWrites(Optional<BlockCache> cache, CachedObjects objects) {
        this.cache = cache;
        this.objects = objects;
    }

    /** Stores an object, and its bytes in the cache besides if the bucket wants that and they are few. */
    public Mono<WriteResult> put(BucketView bucket, NewObject object, UploadBody body) {
        boolean kept = bucket.write() == WriteMode.FILL && bucket.stores(object.object(), body.length());
        if (cache.isEmpty() || !kept || isEncryptedByTheClient(object)) {
            return fenced(bucket, object.object(), bucket.backend().put(object, body));
        }
        return Mono.defer(() -> {
            WriteBuffer held = budget.hold(body.length());
            UploadBody watched = new UploadBody(body.length(), body.pieces().doOnNext(held::add), body.trailer());
            List<ObjectId> ids = ids(bucket, object.object(), Optional.empty());
            return detached(guarded(ids, recorded(ids), bucket.backend().put(object, watched))
                    .doOnNext(written -> fill(bucket, object.object(), written, held))
                    .doOnError(failure -> held.drop()));
        });
    }

    /** Uploads that jobs are beginning. */
    public PendingUploadCreations beginningUploads() {
        return beginning;
    }

    /** Any write of one object. */
    public <T> Mono<T> fenced(BucketView bucket, ObjectRef object, Mono<T> write) {
        return fenced(bucket, object, Optional.empty(), write);
    }

    /** A write of one object, or of one version of it. */
    public <T> Mono<T> fenced(BucketView bucket, ObjectRef object, Optional<String> versionId, Mono<T> write) {
        List<ObjectId> ids = ids(bucket, object, versionId);
        return detached(guarded(ids, recorded(ids), write));
    }

    /**
     * A write that may change anything in a bucket: nothing that is known of its objects and lists is believed after it. A write
     * without an answer may still happen, so nothing is believed again when that has become improbable.
     */
    public <T> Mono<T> fencedBucket(BucketView bucket, Mono<T> write) {
        Mono<T> fenced = write.flatMap(answer -> forgetAll(bucket).thenReturn(answer))
                .onErrorResume(failure -> forgetAll(bucket)
                        .doOnTerminate(() -> {
                            if (!isAnswered(failure)) {
                                forgetLater(bucket);
                            }
                        })
                        .then(Mono.error(failure)));
        return detached(forgetBelow(bucket, "")
                .onErrorMap(failure -> refusal("bucket " + bucket.name(), failure))
                .then(fenced));
    }

    /** Once more: where it cannot be made durable this time, it holds until the next start. */
    private Mono<Void> forgetAll(BucketView bucket) {
        return forgetBelow(bucket, "").onErrorResume(failure -> {
            log.warn(
                    "Bucket {} was changed, which could not be recorded: after a restart some of it may be served as it was",
                    bucket.name(),
                    failure);
            return Mono.empty();
        });
    }

    private void forgetLater(BucketView bucket) {
        Schedulers.parallel()
                .schedule(
                        () -> forgetAll(bucket).subscribe(),
                        WriteFence.UNANSWERED_WRITE.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    /** Deletes of objects, or of versions of them: what became of each is told by its own outcome. */
    public Mono<List<DeleteOutcome>> fenced(
            BucketView bucket, List<Deletion> deletions, Mono<List<DeleteOutcome>> write) {
        Set<ObjectId> ids = ids(bucket, deletions.stream());
        return detached(recorded(ids)
                .then(write)
                .doOnSuccess(outcomes -> {
                    Set<ObjectId> unanswered = ids(
                            bucket,
                            outcomes.stream()
                                    .filter(outcome -> !outcome.failure()
                                            .map(FencedWrites::isAnswered)
                                            .orElse(true))
                                    .map(DeleteOutcome::deletion));
                    ids.forEach(id -> end(List.of(id), !unanswered.contains(id)));
                })
                .doOnError(failure -> end(ids, isAnswered(failure))));
    }

    /**
     * Forgets what is known of an object, as a write of it would: its next read asks the backend. Fails with an {@link IOException} if that
     * could not be made durable: it holds until the next start.
     */
    public Mono<Void> forget(BucketView bucket, ObjectRef object) {
        return forget(bucket, object, Optional.empty());
    }

    /** The same of an object and one version of it. */
    public Mono<Void> forget(BucketView bucket, ObjectRef object, Optional<String> versionId) {
        List<ObjectId> ids = ids(bucket, object, versionId);
        return detached(guarded(ids, begun(ids), Mono.empty()));
    }

    /**
     * Believes nothing any more that is known of a bucket's objects whose keys begin with {@code prefix}, also after a crash; see
     * {@link BlockCache#invalidate(ObjectPrefix)}.
     */
    public Mono<Void> forgetBelow(BucketView bucket, String prefix) {
        return detached(Flux.fromStream(prefixes(bucket, prefix))
                .concatMap(below -> cache.map(blocks -> blocks.writes().invalidate(below))
                        .orElse(Mono.empty())
                        // Also where it could not be written: it holds until the next start.
                        .doOnTerminate(() -> objects.onPrefixInvalidated(below)))
                .then());
    }

    /** With the one that a server which takes keys for paths makes of it. */
    private static Stream<ObjectPrefix> prefixes(BucketView bucket, String prefix) {
        String inside = bucket.inside(prefix);
        Optional<ObjectRef> other =
                inside.isEmpty() ? Optional.empty() : bucket.other(new ObjectRef(bucket.real(), new ObjectKey(inside)));
        return Stream.concat(
                        Stream.of(inside),
                        other.stream().map(named -> named.key().value()))
                .map(text -> new ObjectPrefix(bucket.backendName(), bucket.real(), text));
    }

    private <T> Mono<T> guarded(List<ObjectId> ids, Mono<Void> begun, Mono<T> write) {
        return begun.then(write)
                .doOnSuccess(done -> end(ids, true))
                .doOnError(failure -> end(ids, isAnswered(failure)));
    }

    /** Each is begun, also if others cannot be: each is ended. */
    private Mono<Void> begun(Collection<ObjectId> ids) {
        return cache.map(blocks -> Flux.fromIterable(ids)
                        .flatMapDelayError(blocks.writes()::beginWrite, ids.size(), 1)
                        .then()
                        .onErrorMap(
                                failures -> Exceptions.unwrapMultiple(failures).get(0)))
                .orElse(Mono.empty());
    }

    /** The same of a write: it is refused where it cannot be recorded that what is known of its objects does not count any more. */
    private Mono<Void> recorded(Collection<ObjectId> ids) {
        return begun(ids)
                .onErrorMap(failure -> refusal(ids.iterator().next().object().toString(), failure));
    }

    /** Nothing was sent. After a crash, what was known before it would be believed. */
    private static S3Exception refusal(String what, Throwable failure) {
        log.warn(
                "A write of {} is refused, since neither the metadata store nor a cache disk nor the data folder records it: {}",
                what,
                failure.toString());
        return new S3Exception(
                S3ErrorCode.SERVICE_UNAVAILABLE,
                "The gateway cannot record this change, so it was not sent to the storage behind it. Please try again.");
    }

    private void end(Collection<ObjectId> ids, boolean answered) {
        for (ObjectId id : ids) {
            cache.ifPresent(blocks -> blocks.writes().endWrite(id, answered));
            objects.onWrite(id, answered);
        }
    }

    private static Set<ObjectId> ids(BucketView bucket, Stream<Deletion> deletions) {
        return deletions
                .flatMap(deletion -> ids(bucket, deletion.object(), deletion.versionId()).stream())
                .collect(Collectors.toSet());
    }

    private void fill(BucketView bucket, ObjectRef object, WriteResult written, WriteBuffer held) {
        ObjectId id = ObjectId.current(bucket.backendName(), object);
        Optional<List<ByteBuf>> whole = written.eTag().isPresent() ? held.take() : Optional.empty();
        if (whole.isEmpty()) {
            held.drop();
            return;
        }
        cache.orElseThrow()
                .writes()
                .fill(id, written.eTag().get(), whole.get(), new BackendObjectSource(bucket, id))
                .doFinally(end -> held.drop())
                .subscribe(done -> {}, failure -> log.debug("What was written to {} is not in the cache", id, failure));
    }

    /** A write without a version may be one of the version {@code null}, where the backend has versions. */
    private static List<ObjectId> ids(BucketView bucket, ObjectRef object, Optional<String> versionId) {
        return Stream.concat(Stream.of(object), bucket.other(object).stream())
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

    /** Whether the backend's answer says that nothing was written, or nothing whole was sent to it. */
    private static boolean isAnswered(Throwable failure) {
        if (!(failure instanceof BackendException refused)) {
            // Of the body: the backend never had all of it.
            return true;
        }
        return switch (refused.kind()) {
            case UNAVAILABLE, INVALID_RESPONSE, THROTTLED, UNEXPECTED -> false;
            default -> true;
        };
    }

    private static boolean isEncryptedByTheClient(NewObject object) {
        return object.headers()
                .first("x-amz-server-side-encryption-customer-algorithm")
                .isPresent();
    }

    /** The same, which goes on when its subscriber has left. */
    private static <T> Mono<T> detached(Mono<T> write) {
        return Mono.defer(() -> {
            Sinks.One<T> answer = Sinks.one();
            write.subscribe(answer::tryEmitValue, answer::tryEmitError, answer::tryEmitEmpty);
            return answer.asMono();
        });
    }
}
