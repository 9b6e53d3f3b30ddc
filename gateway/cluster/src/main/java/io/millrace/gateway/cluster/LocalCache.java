package io.millrace.gateway.cluster;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.BlockCache;
import io.millrace.cache.WriteFence;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.read.CacheInvalidation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * This gateway's cache as the announcements of other members change it: each does what the end of a write does at the
 * gateway that sent it. What a write has made old is forgotten at once, and deleted from the metadata store in the
 * background. Names of backends and buckets that this gateway does not have do no harm. Thread-safe; never blocks.
 */
public final class LocalCache implements AnnouncedCache {
    /**
     * The most objects whose deletion waits as one: a thread is woken for them once, and the queue, which counts
     * deletions, stays small in memory.
     */
    private static final int MOST_IN_ONE_DELETION = 8;

    private static final Duration LOOK = Duration.ofMillis(10);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Optional<WriteFence> fence;
    private final CacheInvalidation invalidation;

    /** The deletions that have not ended. */
    private final Set<Sinks.Empty<Void>> deletions = ConcurrentHashMap.newKeySet();

    /** The buckets with a deletion that was recorded nowhere, each with what identifies the last one. */
    private final Map<BackendBucket, Object> unrecorded = new ConcurrentHashMap<>();

    /**
     * Returns the cache of a gateway.
     *
     * @param cache empty if all reads bypass the cache: only listings are remembered then
     */
    public static AnnouncedCache of(Optional<BlockCache> cache, CacheInvalidation invalidation) {
        return new LocalCache(cache, invalidation);
    }

    LocalCache(Optional<BlockCache> cache, CacheInvalidation invalidation) {
        this.fence = cache.map(BlockCache::writeFence);
        this.invalidation = invalidation;
    }

    @Override
    public Mono<Void> apply(Announcement announcement) {
        return Mono.defer(() -> {
            if (announcement instanceof Announcement.Written written) {
                return room(this::isBusy).then(Mono.fromRunnable(() -> end(written)));
            }
            if (announcement instanceof Announcement.Invalidated invalidated) {
                return invalidate(invalidated.below());
            }
            BackendBucket changed = announcement.bucket();
            return Mono.fromRunnable(
                    () -> invalidation.afterBucketWrite(changed.backend(), new BucketName(changed.name())));
        });
    }

    /**
     * Lets a queue of deletions that is half full drain: one that overflows makes all that is stored stale. Fails if
     * that takes long, as on a disk that hangs; the member sends the announcement again.
     */
    static Mono<Void> room(BooleanSupplier isBusy) {
        return isBusy.getAsBoolean() ? Mono.delay(LOOK).repeat(isBusy).then().timeout(LONGEST_WAIT) : Mono.empty();
    }

    private boolean isBusy() {
        return fence.map(WriteFence::isBusy).orElse(false);
    }

    private void end(Announcement.Written written) {
        List<ObjectId> ids = written.ids();
        fence.ifPresent(writes -> {
            for (int first = 0; first < ids.size(); first += MOST_IN_ONE_DELETION) {
                delete(writes, ids.subList(first, Math.min(ids.size(), first + MOST_IN_ONE_DELETION)));
            }
        });
        for (ObjectId id : ids) {
            fence.ifPresent(writes -> writes.endWrite(id, written.acknowledged()));
            invalidation.afterWrite(id, written.acknowledged());
        }
    }

    /** Nobody reads the stored entries from now on; {@link #sync} waits until they are deleted. */
    private void delete(WriteFence writes, List<ObjectId> ids) {
        Sinks.Empty<Void> deletion = Sinks.empty();
        deletions.add(deletion);
        writes.beginWrites(ids)
                .subscribe(
                        done -> {},
                        failure -> {
                            unrecorded.put(BackendBucket.of(ids.get(0)), new Object());
                            end(deletion);
                        },
                        () -> end(deletion));
    }

    private void end(Sinks.Empty<Void> deletion) {
        deletions.remove(deletion);
        deletion.tryEmitEmpty();
    }

    private Mono<Void> ended() {
        return Mono.when(deletions.stream().map(Sinks.Empty::asMono).toList());
    }

    @Override
    public Mono<Void> invalidate(BackendBucket bucket) {
        return Mono.defer(() -> bucket.equals(BackendBucket.EVERY)
                ? fence.map(WriteFence::invalidateAll)
                        .orElse(Mono.empty())
                        // Also if it could not be made durable: it holds until the next start.
                        .doOnTerminate(invalidation::afterInvalidationOfAll)
                : invalidate(new ObjectPrefix(bucket.backend(), new BucketName(bucket.name()), "")));
    }

    private Mono<Void> invalidate(ObjectPrefix below) {
        return fence.map(writes -> writes.invalidate(below))
                .orElse(Mono.empty())
                .doOnTerminate(() -> invalidation.afterPrefixInvalidation(below));
    }

    /** Also records, by an invalidation of their buckets, the deletions that failed. */
    @Override
    public Mono<Void> sync() {
        return Mono.defer(this::ended)
                .then(Mono.defer(() -> Flux.fromIterable(Map.copyOf(unrecorded).entrySet())
                        .concatMap(failed -> invalidate(failed.getKey())
                                .doOnSuccess(done -> unrecorded.remove(failed.getKey(), failed.getValue())))
                        .then()));
    }
}
