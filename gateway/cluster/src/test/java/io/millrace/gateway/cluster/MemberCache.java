package io.millrace.gateway.cluster;

import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CacheLease;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.objects.write.WriteReplication;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The cache, reads and writes of a gateway with one bucket, and that cache as other members change it. */
final class MemberCache implements AnnouncedCache, AutoCloseable {
    final CurrentObjectFinder objects;
    final FencedWrites writes;
    private final BucketView bucket;
    private final BlockCache cache;

    /** Changes this cache alone. */
    private final FencedWrites own;

    MemberCache(Path folder, BucketView bucket, CacheLease lease, WriteReplication replication) throws IOException {
        this.bucket = bucket;
        this.cache = CacheFixture.in(folder);
        this.objects = new CurrentObjectFinder(
                Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system(), lease);
        this.writes = new FencedWrites(Optional.of(cache), objects, replication);
        this.own = new FencedWrites(Optional.of(cache), objects);
    }

    @Override
    public Mono<Void> apply(Announcement announcement) {
        if (announcement instanceof Announcement.Written written) {
            return Flux.fromIterable(written.ids())
                    .concatMap(id -> end(id, written.acknowledged()))
                    .then();
        }
        if (announcement instanceof Announcement.Invalidated invalidated) {
            return own.invalidateBelow(bucket, invalidated.below().prefix());
        }
        return Mono.fromRunnable(() -> objects.invalidation().afterBucketWrite(bucket));
    }

    private Mono<Void> end(ObjectId id, boolean acknowledged) {
        return cache.writeFence().beginWrite(id).doOnTerminate(() -> {
            cache.writeFence().endWrite(id, acknowledged);
            objects.invalidation().afterWrite(id, acknowledged);
        });
    }

    @Override
    public Mono<Void> invalidate(BackendBucket any) {
        return own.invalidateBelow(bucket, "");
    }

    @Override
    public Mono<Void> sync() {
        return Mono.empty();
    }

    @Override
    public boolean isBusy() {
        return false;
    }

    @Override
    public void close() {
        cache.close();
    }
}
