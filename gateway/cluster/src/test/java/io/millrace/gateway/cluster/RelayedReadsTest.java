package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.OwnershipHash;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.BackendReadException;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.ObjectPrefetcher;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A read of what another member is home of goes there and no further, and remembers nothing that a write outdates. */
class RelayedReadsTest {
    private static final Duration LEASE = Duration.ofSeconds(1);

    @TempDir
    Path folder;

    private final InMemoryBackend objects = new InMemoryBackend(Set.of());
    private final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());
    private final BucketView bucket = bucket(FreshnessSettings.Mode.IMMUTABLE);
    private final AtomicInteger keys = new AtomicInteger();
    private LiveCluster cluster;
    private Node one;
    private Node other;

    private BucketView bucket(FreshnessSettings.Mode mode) {
        return BucketViews.of(
                "bucket",
                backend,
                "bucket",
                "",
                List.of(),
                new FreshnessSettings(
                        mode,
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(1),
                        Duration.ZERO,
                        Duration.ZERO));
    }

    /** A member with a cache, whose announcements a test can hold back. */
    private final class Node implements AnnouncedCache {
        final ClusterMember member;
        final MemberCache cache;
        final HomeReads home;
        final AtomicInteger begun = new AtomicInteger();
        volatile Mono<Void> gate = Mono.empty();

        Node(String name) throws IOException {
            member = cluster.open(
                    name,
                    LiveCluster.Options.usual()
                            .in(place -> new ClusterPlace(
                                    place.cluster(),
                                    place.node(),
                                    place.members(),
                                    place.listen(),
                                    place.secret(),
                                    LEASE)));
            cache = new MemberCache(
                    folder.resolve(name),
                    member.lease(),
                    member.replication(),
                    blocks -> member.sources(() -> true, blocks.writeFence()));
            home = home(bucket, member::isLeaseHeld);
            member.serve(home);
            cluster.start(name, this);
        }

        @Override
        public Mono<Void> apply(Announcement announcement) {
            return Mono.defer(() -> {
                begun.incrementAndGet();
                return gate.then(cache.apply(announcement));
            });
        }

        @Override
        public Mono<Void> invalidate(BackendBucket invalidated) {
            return cache.invalidate(invalidated);
        }

        @Override
        public Mono<Void> sync() {
            return cache.sync();
        }

        HomeReads home(BucketView shown, BooleanSupplier hearsAll) {
            return new HomeReads(
                    cache.cache, cache.objects, named -> Optional.of(shown), hearsAll, InstantSource.system());
        }

        CurrentObject.Cached find(ObjectRef object) {
            return find(object, RequestCacheControl.NONE);
        }

        CurrentObject.Cached find(ObjectRef object, RequestCacheControl client) {
            return (CurrentObject.Cached) cache.objects
                    .find(bucket, ReadRequest.of(object), client, true)
                    .blockOptional()
                    .orElseThrow();
        }

        /** Returns the number of bytes of the whole object. */
        long read(ObjectRef object) {
            CurrentObject.Cached found = find(object);
            return found.readBuffers(new ByteRange(0, found.metadata().size() - 1))
                    .map(Node::released)
                    .reduce(0L, Long::sum)
                    .blockOptional()
                    .orElseThrow();
        }

        private static long released(ByteBuf bytes) {
            long length = bytes.readableBytes();
            bytes.release();
            return length;
        }
    }

    @BeforeEach
    void start() throws IOException {
        cluster = new LiveCluster(folder, "one", "other");
        one = new Node("one");
        other = new Node("other");
        Polling.until(
                "both have leases",
                () -> one.member.status().leaseHeld() && other.member.status().leaseHeld());
        awaitRelay();
    }

    @AfterEach
    void stop() throws IOException {
        cluster.close();
        one.cache.close();
        other.cache.close();
    }

    /** Both have just invalidated all of an unknown member, and ask nobody for a while. */
    private void awaitRelay() {
        Polling.until("the home is asked", () -> {
            long before = one.member.relayedReads();
            one.read(stored("other", 1));
            return one.member.relayedReads() > before;
        });
    }

    /** Returns an object of one of the two members, of which nobody knows yet. */
    private ObjectRef stored(String home, int size) {
        String away = home.equals("one") ? "other" : "one";
        RendezvousPlacement placement = new RendezvousPlacement(away, List.of(home));
        ObjectRef object = IntStream.generate(keys::incrementAndGet)
                .mapToObj(number -> bucket.at(new ObjectKey("key-" + number)))
                .filter(named ->
                        placement.before(OwnershipHash.of("backend", named)).contains(home))
                .findFirst()
                .orElseThrow();
        objects.store(object, new byte[size], HeaderList.EMPTY);
        return object;
    }

    @Test
    void homeFetchesForBoth() {
        ObjectRef object = stored("other", 3 << 20);
        long before = backend.bytes();
        long relayed = one.member.relayedReads();

        assertThat(one.read(object)).isEqualTo(3 << 20);
        assertThat(one.read(object)).isEqualTo(3 << 20);
        assertThat(other.read(object)).isEqualTo(3 << 20);

        assertThat(backend.bytes() - before).isEqualTo(3 << 20);
        assertThat(one.member.relayedReads()).isGreaterThan(relayed);
        assertThat(one.member.fallbacks()).isZero();
    }

    /** One that is read once is not, although there is room. */
    @Test
    void whoIsNotHomeKeepsCopiesOfWhatIsReadOften() {
        ObjectRef object = stored("other", 3 << 20);
        one.read(object);
        Polling.until(
                "no fill is left",
                () -> one.cache.cache.administration().stats().fills() == 0);
        assertThat(isKept(one, object)).isFalse();

        Polling.until("it is read from its own disk", () -> {
            one.read(object);
            return isKept(one, object);
        });
        long relayed = one.member.relayedReads();
        assertThat(one.read(object)).isEqualTo(3 << 20);
        assertThat(one.member.relayedReads()).isEqualTo(relayed);
    }

    private static boolean isKept(Node node, ObjectRef object) {
        CurrentObject.Cached found = node.find(object);
        return found.isFullyResident(new ByteRange(0, found.metadata().size() - 1))
                .blockOptional()
                .orElse(false);
    }

    /** Whoever has another list may ask a member that is not the home. */
    @Test
    void whoIsAskedAsksNobodyElse() {
        ObjectRef object = stored("one", 1000);
        long before = backend.calls(Operation.OPEN);

        assertThat(lengthAt(other.home, object)).isEqualTo(1000);

        assertThat(backend.calls(Operation.OPEN)).isEqualTo(before + 1);
        assertThat(other.member.relayedReads()).isZero();
    }

    /** Returns how many bytes a home sends to who relays a read of a whole object. */
    private long lengthAt(HomeReads home, ObjectRef object) {
        RelayedRead read = new RelayedRead(
                bucket.name(),
                ObjectId.current("backend", object),
                new RelayedRead.Current(new ReadRequest.ByteSelection.WholeObject()),
                TierRequest.NONE);
        HomeReads.Response response = home.serve(read).blockOptional().orElseThrow();
        response.giveUp().run();
        return response.length();
    }

    /** Whoever asks may have heard of a write that the home does not know of, and would remember the old metadata. */
    @Test
    void homeThatDoesNotHearAllMembersAsksTheBackend() {
        ObjectRef object = stored("other", 1);
        assertThat(other.find(object).metadata().size()).isEqualTo(1);
        objects.store(object, new byte[2], HeaderList.EMPTY);

        assertThat(lengthAt(other.home(bucket, () -> true), object)).isEqualTo(1);
        assertThat(lengthAt(other.home(bucket, () -> false), object)).isEqualTo(2);
    }

    /** A list has shown it to whoever asks, perhaps. */
    @Test
    void homeAsksTheBackendForWhatItRemembersAsAbsent() {
        BucketView ttl = bucket(FreshnessSettings.Mode.TTL);
        ObjectRef object = bucket.at(new ObjectKey("absent"));
        Mono<CurrentObject> atTheHome =
                other.cache.objects.find(ttl, ReadRequest.of(object), RequestCacheControl.NONE, true);
        assertThatThrownBy(atTheHome::block).isInstanceOf(BackendReadException.class);
        objects.store(object, new byte[2], HeaderList.EMPTY);

        assertThatThrownBy(atTheHome::block).isInstanceOf(BackendReadException.class);
        assertThat(lengthAt(other.home(ttl, () -> true), object)).isEqualTo(2);
    }

    @Test
    void prefetchBringsWhatItHasListed() {
        ObjectRef object = stored("other", 1);
        assertThat(other.find(object).metadata().size()).isEqualTo(1);
        objects.store(object, new byte[2], HeaderList.EMPTY);
        ObjectPrefetcher prefetcher = new ObjectPrefetcher(
                one.cache.cache.reader(),
                one.cache.cache.prefetcher(),
                one.member.sources(() -> true, one.cache.cache.writeFence()),
                InstantSource.system());

        ObjectPrefetcher.PrefetchResult result = prefetcher
                .prefetch(
                        bucket,
                        object,
                        Optional.empty(),
                        Optional.of(new ObjectPrefetcher.ListedState(2, Optional.empty())),
                        1 << 20,
                        bytes -> Mono.empty(),
                        (blocks, isFetched) -> {})
                .blockOptional()
                .orElseThrow();

        assertThat(result.size()).isEqualTo(2);
    }

    @Test
    void clientGetsNothingOlderThanItAcceptsFromAHome() {
        ObjectRef object = stored("other", 1);
        assertThat(other.find(object).metadata().size()).isEqualTo(1);
        assertThat(one.find(object).metadata().size()).isEqualTo(1);
        objects.store(object, new byte[2], HeaderList.EMPTY);
        RequestCacheControl client = RequestCacheControl.parse(List.of("max-age=1"));

        Polling.until(
                "it is older than that",
                () -> one.find(object, client).metadata().size() == 2);
    }

    /** The home has not heard of the write yet, and has old metadata that it may use. */
    @Test
    void writeThatItsHomeHasNotHeardOfIsNotHiddenByIt() {
        ObjectRef object = stored("other", 1);
        assertThat(other.find(object).metadata().size()).isEqualTo(1);
        assertThat(one.find(object).metadata().size()).isEqualTo(1);
        int begun = other.begun.get();
        Sinks.Empty<Void> opened = Sinks.empty();
        other.gate = opened.asMono();

        CompletableFuture<ObjectVersion> written = one.cache
                .writes
                .fenced(bucket, object, Mono.fromCallable(() -> objects.store(object, new byte[2], HeaderList.EMPTY)))
                .toFuture();
        Polling.until("it is announced", () -> other.begun.get() > begun);
        assertThat(one.find(object).metadata().size()).isEqualTo(2);
        opened.tryEmitEmpty();
        written.join();

        assertThat(one.find(object).metadata().size()).isEqualTo(2);
        assertThat(other.find(object).metadata().size()).isEqualTo(2);
    }

    @Test
    void longReaderOfAnOverwrittenVersionReadsItFromTheHome() {
        ObjectRef object = stored("other", 2 << 20);
        CurrentObject.Cached old = one.find(object);
        assertThat(other.read(object)).isEqualTo(2 << 20);
        objects.store(object, new byte[5], HeaderList.EMPTY);

        long read = old.readBuffers(new ByteRange(1 << 20, (2 << 20) - 1))
                .map(Node::released)
                .reduce(0L, Long::sum)
                .blockOptional()
                .orElseThrow();

        assertThat(read).isEqualTo(1 << 20);
    }

    @Test
    void readsBeyondTheBoundGoToTheBackend() {
        Sinks.Empty<Void> released = Sinks.empty();
        backend.plan(FaultPlan.always(new BackendFault.StalledHead(released.asMono())));
        List<CompletableFuture<CurrentObject>> reads = new ArrayList<>();
        for (int i = 0; i <= PeerClient.MOST_READS; i++) {
            ObjectRef object = stored("other", 1);
            reads.add(one.cache
                    .objects
                    .find(bucket, ReadRequest.of(object), RequestCacheControl.NONE, false)
                    .toFuture());
        }

        Polling.until("one is beyond the bound", () -> one.member.fallbacks() == 1);

        released.tryEmitEmpty();
        reads.forEach(CompletableFuture::join);
    }

    @Test
    void silentHomeIsDoneWithoutUntilItIsHeardAgain() {
        ObjectRef object = stored("other", 1000);
        cluster.relay("other").cut(true);

        assertThat(one.read(object)).isEqualTo(1000);

        assertThat(one.member.fallbacks()).isPositive();
        cluster.relay("other").cut(false);
        Polling.until("both have leases", () -> one.member.status().leaseHeld());
        awaitRelay();
    }
}
