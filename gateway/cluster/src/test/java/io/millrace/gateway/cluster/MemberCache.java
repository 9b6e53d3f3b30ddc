package io.millrace.gateway.cluster;

import io.millrace.cache.BlockCache;
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
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** The cache, reads and writes of a gateway, and that cache as other members change it. */
final class MemberCache implements AnnouncedCache, AutoCloseable {
    final CurrentObjectFinder objects;
    final FencedWrites writes;
    final BlockCache cache;
    private final LocalCache announced;

    MemberCache(Path folder, CacheLease lease, WriteReplication replication) throws IOException {
        this(folder, lease, replication, blocks -> ObjectSourceFactory.BACKENDS);
    }

    /** @param sources returns the sources of reads */
    MemberCache(
            Path folder,
            CacheLease lease,
            WriteReplication replication,
            Function<BlockCache, ObjectSourceFactory> sources)
            throws IOException {
        this.cache = CacheFixture.in(folder);
        this.objects = new CurrentObjectFinder(Optional.of(cache), sources.apply(cache), InstantSource.system(), lease);
        this.writes = new FencedWrites(Optional.of(cache), objects, replication);
        this.announced = new LocalCache(Optional.of(cache), objects.invalidation());
    }

    @Override
    public Mono<Void> apply(Announcement announcement) {
        return announced.apply(announcement);
    }

    @Override
    public Mono<Void> invalidate(BackendBucket bucket) {
        return announced.invalidate(bucket);
    }

    @Override
    public Mono<Void> sync() {
        return announced.sync();
    }

    @Override
    public void close() {
        cache.close();
    }
}
