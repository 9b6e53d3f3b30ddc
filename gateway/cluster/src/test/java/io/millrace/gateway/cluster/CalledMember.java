package io.millrace.gateway.cluster;

import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.objects.write.FencedWrites;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A gateway with a cache, reads and writes of its own, in a cluster whose net is method calls. */
final class TestMember implements AnnouncedCache, PeerNet, AutoCloseable {
    final CurrentObjectFinder objects;
    final FencedWrites writes;
    final PeerLeases leases;
    private final String name;
    private final Map<String, TestMember> members;
    private final Set<String> unreachable = ConcurrentHashMap.newKeySet();
    private final BucketView bucket;
    private final BlockCache cache;
    private final Cluster cluster;

    /** Changes this cache alone. */
    private final FencedWrites own;

    TestMember(
            String name,
            Map<String, TestMember> members,
            Set<String> others,
            Path folder,
            BucketView bucket,
            ManualTime time)
            throws IOException {
        this.name = name;
        this.members = members;
        this.bucket = bucket;
        this.cache = CacheFixture.in(folder);
        LeaseTerms terms = new LeaseTerms(Duration.ofSeconds(3));
        long process = name.hashCode();
        this.leases = new PeerLeases(
                name,
                process,
                others,
                terms,
                any -> Coherence.STRONG,
                this,
                time,
                this,
                new MemoryValue<>(KnownMembers.EMPTY));
        AnnouncedWrites announced = new AnnouncedWrites(
                name,
                process,
                others,
                terms,
                any -> Coherence.STRONG,
                leases::isReady,
                this,
                time,
                new MemoryValue<>(MissedRecords.EMPTY));
        this.cluster = new Cluster(leases, announced, this);
        this.objects = new CurrentObjectFinder(
                Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system(), leases);
        this.writes = new FencedWrites(Optional.of(cache), objects, announced);
        this.own = new FencedWrites(Optional.of(cache), objects);
        members.put(name, this);
    }

    void start() {
        cluster.start().block();
    }

    /** Loses all messages to and from another member, or no longer. */
    void cut(TestMember other, boolean isCut) {
        if (isCut) {
            unreachable.add(other.name);
            other.unreachable.add(name);
        } else {
            unreachable.remove(other.name);
            other.unreachable.remove(name);
        }
    }

    @Override
    public void close() {
        leases.close();
        cache.close();
    }

    // Its cache, as others change it

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

    // The net

    @Override
    public Mono<LeaseResponse> request(String member, LeaseRequest request) {
        return unless(member, Mono.defer(() -> to(member).cluster.respond(request)));
    }

    @Override
    public Mono<Void> announce(String member, AnnouncementBatch batch) {
        return unless(member, Mono.defer(() -> to(member).cluster.receive(batch)));
    }

    @Override
    public Mono<Void> leave(String member, Goodbye goodbye) {
        return unless(member, Mono.defer(() -> to(member).cluster.receive(goodbye)));
    }

    private TestMember to(String member) {
        return Optional.ofNullable(members.get(member)).orElseThrow();
    }

    private <T> Mono<T> unless(String member, Mono<T> message) {
        return Mono.defer(() -> unreachable.contains(member) ? Mono.never() : message);
    }

    /** A store in memory. */
    private static final class MemoryValue<T> implements DurableValue<T> {
        private T value;

        MemoryValue(T value) {
            this.value = value;
        }

        @Override
        public T read() {
            return value;
        }

        @Override
        public Mono<Void> write(T next) {
            return Mono.fromRunnable(() -> value = next);
        }
    }
}
