package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.CacheReader;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.netty.buffer.ByteBuf;
import java.time.InstantSource;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reads object versions whose bytes are all on cache disks, for copies that need not fetch them again. Thread-safe. */
public record ResidentObjectReader(
        CacheReader reader, ObjectSourceFactory sources, InstantSource clock, CacheLease lease) {
    /**
     * The cached head of an object.
     *
     * @param fresh whether it may be used without asking the backend
     * @param freshIfListed whether it may be used if a listing of the backend has just shown the same object
     */
    public record CachedHead(ObjectHead head, boolean fresh, boolean freshIfListed) {}

    /** Returns the cached head of an object; empty if there is none. */
    public Mono<CachedHead> head(BucketView bucket, ObjectRef object) {
        return find(bucket, object).map(cached -> {
            boolean fresh = isFresh(bucket, object, cached);
            return new CachedHead(cached.head(), fresh, fresh || isFreshIfListed(bucket, object, cached));
        });
    }

    private boolean isFresh(BucketView bucket, ObjectRef object, ObjectMetadata cached) {
        // A write under the alias may leave this entry unchanged.
        return bucket.alias(object).isEmpty()
                && lease.isHeld(bucket)
                && FreshnessDecision.of(cached, bucket.freshness(), true, RequestCacheControl.NONE, clock.millis())
                        == FreshnessDecision.SERVE;
    }

    private boolean isFreshIfListed(BucketView bucket, ObjectRef object, ObjectMetadata cached) {
        return bucket.alias(object).isEmpty()
                && lease.isHeld(bucket)
                && cached.complete()
                && !cached.mustRevalidate()
                && bucket.freshness().mode() != FreshnessSettings.Mode.STRICT;
    }

    /** Returns whether all bytes of a version are on disks. */
    public Mono<Boolean> isResident(BucketView bucket, ObjectRef object, ObjectVersion version) {
        return find(bucket, object)
                .filter(cached -> cached.head().version().equals(version))
                .flatMap(cached -> cached.size() == 0
                        ? Mono.just(true)
                        : reader.isFullyResident(cached, new ByteRange(0, cached.size() - 1)))
                .defaultIfEmpty(false);
    }

    /**
     * Returns the bytes of a version if all of them are on disks; empty if not. A block that is evicted meanwhile is
     * fetched from the backend. The subscriber owns each buffer.
     */
    public Mono<Flux<ByteBuf>> bytes(BucketView bucket, ObjectRef object, ObjectVersion version, ByteRange range) {
        ObjectId id = id(bucket, object);
        return find(bucket, object)
                .filter(cached -> cached.head().version().equals(version))
                .filterWhen(cached -> reader.isFullyResident(cached, range))
                .map(cached -> reader.readBuffers(cached, range, sources.create(bucket, id), Optional.empty()));
    }

    /** What is in a scratch bucket is no copy, and its backend reads it. */
    private Mono<ObjectMetadata> find(BucketView bucket, ObjectRef object) {
        return bucket.isScratch() ? Mono.empty() : reader.find(id(bucket, object));
    }

    private static ObjectId id(BucketView bucket, ObjectRef object) {
        return ObjectId.current(bucket.backendName(), object);
    }
}
