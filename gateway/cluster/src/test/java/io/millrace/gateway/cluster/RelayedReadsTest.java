package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
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
import io.millrace.cache.WriteFence;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.OwnershipHash;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.CacheRule;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.KeyPattern;
import io.millrace.gateway.objects.read.BackendReadException;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.ObjectPrefetcher;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A read of what another member is home of goes there and no further, and remembers nothing that a write outdates. */
class RelayedReadsTest {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final int SIZE = (3 << 20) + 7;

    /** The time for which no home is asked for what has changed. */
    private static final Duration RECENT = LEASE.multipliedBy(9).dividedBy(8).plusSeconds(3);

    @TempDir
    Path folder;

    private final InMemoryBackend objects =
            new InMemoryBackend(Set.of(Capability.WRITE)).createBucket(new BucketName("bucket"));
    private final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());
    private final BucketView bucket = bucket(FreshnessSettings.Mode.IMMUTABLE);
    private final AtomicInteger keys = new AtomicInteger();
    private LiveCluster cluster;
    private Node one;
    private Node other;

    /** Those before the test: the first read may find a home that is too slow to say that it lives. */
    private long fallbacks;

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
                    cache.cache,
                    cache.objects,
                    member.homeSources(() -> true, cache.cache.writeFence()),
                    named -> Optional.of(shown),
                    hearsAll,
                    InstantSource.system());
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

        /** Writes an object, and waits until its bytes are cached here. */
        void write(ObjectRef object, int size) {
            UploadBody body = UploadBody.of(size, Flux.just(Unpooled.wrappedBuffer(new byte[size])));
            assertThat(cache.writes
                            .put(bucket, new NewObject(object, HeaderList.EMPTY, WriteCondition.ALWAYS), body)
                            .blockOptional())
                    .isPresent();
            Polling.until("what was written is cached", () -> held(this, object).isPresent());
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
        fallbacks = one.member.fallbacks();
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
        ObjectRef object = named(home);
        objects.store(object, new byte[size], HeaderList.EMPTY);
        return object;
    }

    /** Returns the name of an object of one of the two members, which is not there yet. */
    private ObjectRef named(String home) {
        String away = home.equals("one") ? "other" : "one";
        RendezvousPlacement placement = new RendezvousPlacement(away, List.of(home));
        return IntStream.generate(keys::incrementAndGet)
                .mapToObj(number -> bucket.at(new ObjectKey("key-" + number)))
                .filter(named ->
                        placement.before(OwnershipHash.of("backend", named)).contains(home))
                .findFirst()
                .orElseThrow();
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
        assertThat(one.member.fallbacks()).isEqualTo(fallbacks);
    }

    /** One that is read once is not, although there is room. */
    @Test
    void objectsReadOftenAreStoredBesideTheirHomeToo() {
        ObjectRef object = stored("other", 3 << 20);
        one.read(object);
        Polling.until(
                "no fill is left",
                () -> one.cache.cache.administration().stats().fills() == 0);
        assertThat(isKept(one, object)).isFalse();
        assertThat(one.cache.cache.administration().copiedBytes()).isZero();

        Polling.until("it is read from its own disk", () -> {
            one.read(object);
            return isKept(one, object);
        });
        long relayed = one.member.relayedReads();
        assertThat(one.read(object)).isEqualTo(3 << 20);
        assertThat(one.member.relayedReads()).isEqualTo(relayed);
        Polling.until(
                "the copy is counted", () -> one.cache.cache.administration().copiedBytes() == 3 << 20);
        assertThat(other.cache.cache.administration().copiedBytes()).isZero();
    }

    @Test
    void homesAreCountedByMember() {
        ClusterStatus.Homes before = one.member.homes();
        one.read(stored("other", 1));
        ClusterStatus.Homes after = one.member.homes();

        assertThat(after.relayed()).containsEntry("other", before.relayed().getOrDefault("other", 0L) + 1);
        assertThat(after.fallbacks()).isEqualTo(before.fallbacks());
        assertThat(after.shares()).containsOnlyKeys("one", "other");
        assertThat(after.advice()).isEmpty();
    }

    private static boolean isKept(Node node, ObjectRef object) {
        CurrentObject.Cached found = node.find(object);
        return found.isFullyResident(new ByteRange(0, found.metadata().size() - 1))
                .blockOptional()
                .orElse(false);
    }

    /** They are sent together with their heads. */
    @Test
    void smallObjectsAreSentFromMemory() {
        ObjectRef object = stored("other", 1000);
        other.read(object);
        Polling.until(
                "it is read at once", () -> response(other.home, object).whole().isPresent());
        long relayed = one.member.relayedReads();

        assertThat(one.read(object)).isEqualTo(1000);

        assertThat(one.member.relayedReads()).isGreaterThan(relayed);
        assertThat(one.member.fallbacks()).isEqualTo(fallbacks);
    }

    /** Whoever has another list may ask a member that is not the home. */
    @Test
    void relayedReadIsNotRelayedAgain() {
        ObjectRef object = stored("one", 1000);
        long before = backend.calls(Operation.OPEN);

        assertThat(lengthAt(other.home, object)).isEqualTo(1000);

        assertThat(backend.calls(Operation.OPEN)).isEqualTo(before + 1);
        assertThat(other.member.relayedReads()).isZero();
    }

    /** Returns how many bytes a home sends to who relays a read of a whole object. */
    private long lengthAt(HomeReads home, ObjectRef object) {
        return response(home, object).length();
    }

    /** Returns what a home sends to who relays a read of a whole object; given up already. */
    private HomeReads.Response response(HomeReads home, ObjectRef object) {
        RelayedRead read = new RelayedRead(
                bucket.name(),
                ObjectId.current("backend", object),
                new RelayedRead.Current(new ReadRequest.ByteSelection.WholeObject()),
                TierRequest.NONE);
        HomeReads.Response response = home.serve(read).blockOptional().orElseThrow();
        response.giveUp().run();
        return response;
    }

    /** Whoever asks may have heard of a write that the home does not know of, and would remember the old metadata. */
    @Test
    void homeWithoutAllLeasesRevalidates() {
        ObjectRef object = stored("other", 1);
        assertThat(other.find(object).metadata().size()).isEqualTo(1);
        objects.store(object, new byte[2], HeaderList.EMPTY);

        assertThat(lengthAt(other.home(bucket, () -> true), object)).isEqualTo(1);
        assertThat(lengthAt(other.home(bucket, () -> false), object)).isEqualTo(2);
    }

    /** Settings may differ while they are changed at one member after another. */
    @Test
    void homeReadsNothingForOthersThatItDoesNotCache() {
        CacheRule never = new CacheRule(KeyPattern.parse("*"), false, Optional.empty(), Optional.empty());
        HomeReads home = other.home(
                BucketViews.of("bucket", backend, "bucket", "", List.of(never), bucket.freshness()), () -> true);
        ObjectRef object = stored("other", 1000);
        ObjectVersion version = one.find(object).metadata().head().version();
        long before = backend.calls(Operation.OPEN);

        for (RelayedRead.Wanted wanted : List.of(
                new RelayedRead.Head(),
                new RelayedRead.Current(new ReadRequest.ByteSelection.WholeObject()),
                new RelayedRead.Version(version, new ByteRange(0, 999)))) {
            RelayedRead read =
                    new RelayedRead(bucket.name(), ObjectId.current("backend", object), wanted, TierRequest.NONE);
            HomeReads.Response response = home.serve(read).blockOptional().orElseThrow();
            assertThatThrownBy(() -> RelayCodec.object(response.header()))
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            refused -> assertThat(refused.kind()).isEqualTo(FailureKind.UNSUPPORTED));
        }
        assertThat(backend.calls(Operation.OPEN)).isEqualTo(before);
    }

    /** A list has shown it to whoever asks, perhaps. */
    @Test
    void homeRevalidatesARememberedAbsence() {
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

    /** The home has not seen the list, however long ago that was. */
    @Test
    void homeRevalidatesAnObjectThatAListHasOutdatedElsewhere() {
        BucketView ttl = bucket(FreshnessSettings.Mode.TTL);
        ObjectRef object = stored("other", 1);
        ObjectId id = ObjectId.current("backend", object);
        WriteFence fence = one.cache.cache.writeFence();
        assertThat(other.find(object).metadata().size()).isEqualTo(1);
        assertThat(one.find(object).metadata().size()).isEqualTo(1);
        objects.store(object, new byte[2], HeaderList.EMPTY);

        fence.observe(id, Optional.of(ETag.parse("\"another\"")), 2);
        Polling.until("a home is asked again", () -> !fence.isChangedWithin(id, RECENT));
        long relayed = one.member.relayedReads();
        CurrentObject now = one.cache
                .objects
                .find(ttl, ReadRequest.of(object), RequestCacheControl.NONE, true)
                .blockOptional()
                .orElseThrow();

        assertThat(((CurrentObject.Cached) now).metadata().size()).isEqualTo(2);
        assertThat(one.member.relayedReads()).isGreaterThan(relayed);
        assertThat(one.member.fallbacks()).isEqualTo(fallbacks);
    }

    /** Or each object would cost the backend a request when a member begins anew. */
    @Test
    void memberThatHasInvalidatedEverythingBelievesAHome() throws IOException {
        ObjectRef object = stored("other", 1);
        assertThat(other.find(object).metadata().size()).isEqualTo(1);
        try (MemberCache empty = new MemberCache(
                folder.resolve("empty"),
                one.member.lease(),
                one.member.replication(),
                blocks -> one.member.sources(() -> true, blocks.writeFence()))) {
            ObjectId id = ObjectId.current("backend", object);
            empty.cache.writeFence().invalidateAll().block();
            Polling.until("a home is asked", () -> !empty.cache.writeFence().isChangedWithin(id, RECENT));
            long relayed = one.member.relayedReads();
            long heads = backend.calls(Operation.HEAD);

            assertThat(empty.objects
                            .find(
                                    bucket(FreshnessSettings.Mode.TTL),
                                    ReadRequest.of(object),
                                    RequestCacheControl.NONE,
                                    true)
                            .block())
                    .isInstanceOf(CurrentObject.Cached.class);

            assertThat(one.member.relayedReads()).isEqualTo(relayed + 1);
            assertThat(backend.calls(Operation.HEAD)).isEqualTo(heads);
        }
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
    void changedObjectIsRevalidatedByItsHomeInsteadOfFetched() {
        ObjectRef object = named("other");
        other.write(object, SIZE);
        long fetched = backend.bytes();
        long relayed = one.member.relayedReads();

        assertThat(one.read(object)).isEqualTo(SIZE);

        assertThat(one.member.relayedReads()).isGreaterThan(relayed);
        assertThat(backend.bytes()).isEqualTo(fetched);
    }

    @Test
    void homeReadsAWrittenObjectFromItsWriterAndStoresIt() {
        ObjectRef object = named("other");
        one.write(object, SIZE);
        long fetched = backend.bytes();

        assertThat(other.read(object)).isEqualTo(SIZE);

        assertThat(backend.bytes()).isEqualTo(fetched);
        Polling.until("it is stored at its home", () -> isKept(other, object));
    }

    /** The bytes are another member's only if they are of the version that the backend has. */
    @Test
    void objectReplacedAfterItsWriteIsReadFromTheBackend() {
        ObjectRef object = named("other");
        one.write(object, SIZE);
        objects.store(object, new byte[5], HeaderList.EMPTY);

        assertThat(other.read(object)).isEqualTo(5);
    }

    @Test
    void objectRemovedAfterItsWriteIsNotFound() {
        ObjectRef object = named("other");
        one.write(object, SIZE);
        objects.remove(object);

        assertThatThrownBy(() -> other.find(object)).isInstanceOf(BackendReadException.class);
    }

    /** It would wait for the home, which asks. */
    @Test
    void heldReadSendsNoRequest() {
        ObjectRef object = stored("other", 1000);
        long calls = backend.calls(Operation.OPEN) + backend.calls(Operation.HEAD);

        assertThat(held(one, object)).isEmpty();
        assertThat(held(other, object)).isEmpty();

        assertThat(backend.calls(Operation.OPEN) + backend.calls(Operation.HEAD))
                .isEqualTo(calls);
    }

    /** Returns how many bytes a member sends of what it has; empty if that is not all. */
    private Optional<Long> held(Node node, ObjectRef object) {
        RelayedRead read = new RelayedRead(
                bucket.name(),
                ObjectId.current("backend", object),
                new RelayedRead.Current(new ReadRequest.ByteSelection.WholeObject()),
                TierRequest.NONE,
                true);
        return node.home.serve(read).blockOptional().map(response -> {
            response.giveUp().run();
            return response.length();
        });
    }

    @Test
    void nextHomeReadsFromAMemberThatStops() {
        ObjectRef object = stored("other", SIZE);
        ObjectRef unknown = stored("other", 1000);
        assertThat(other.read(object)).isEqualTo(SIZE);
        Polling.until("it is stored", () -> held(other, object).isPresent());
        other.member.beginToStop();
        awaitHeardToStop();
        long fetched = backend.bytes();

        assertThat(one.read(object)).isEqualTo(SIZE);

        assertThat(backend.bytes()).isEqualTo(fetched);
        Polling.until("it is stored by who has taken over", () -> isKept(one, object));
        assertThat(one.read(unknown)).isEqualTo(1000);
        assertThat(held(other, unknown)).isEmpty();
    }

    /** Waits until one stores itself what the other is home of, though it is read once. */
    private void awaitHeardToStop() {
        Polling.until("the other is heard to stop", () -> {
            ObjectRef probe = stored("other", 1);
            one.read(probe);
            return held(other, probe).isEmpty();
        });
    }

    @Test
    void longReaderOfAnOverwrittenVersionReadsItFromTheHome() {
        ObjectRef object = stored("other", 1);
        byte[] first = new byte[2 << 20];
        new Random(1).nextBytes(first);
        objects.store(object, first, HeaderList.EMPTY);
        CurrentObject.Cached old = one.find(object);
        assertThat(other.read(object)).isEqualTo(first.length);
        byte[] second = new byte[first.length];
        new Random(2).nextBytes(second);
        objects.store(object, second, HeaderList.EMPTY);
        Polling.until(
                "what the opening has brought is gone",
                () -> one.cache.cache.administration().stats().fills() == 0);
        long relayed = one.member.relayedReads();

        byte[] read = old.readBuffers(new ByteRange(1 << 20, first.length - 1))
                .collect(ByteArrayOutputStream::new, RelayedReadsTest::add)
                .map(ByteArrayOutputStream::toByteArray)
                .blockOptional()
                .orElseThrow();

        assertThat(Arrays.equals(read, 0, read.length, first, 1 << 20, first.length))
                .isTrue();
        assertThat(one.member.relayedReads()).isGreaterThan(relayed);
        assertThat(one.member.fallbacks()).isEqualTo(fallbacks);
    }

    private static void add(ByteArrayOutputStream all, ByteBuf piece) {
        byte[] bytes = new byte[piece.readableBytes()];
        piece.readBytes(bytes);
        piece.release();
        all.writeBytes(bytes);
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

        Polling.until("one is beyond the bound", () -> one.member.fallbacks() == fallbacks + 1);

        released.tryEmitEmpty();
        reads.forEach(CompletableFuture::join);
    }

    /** Its connections stay, and bring nothing more. */
    @Test
    void bodyOfAHomeThatFreezesIsReadOnElsewhere() {
        ObjectRef object = stored("other", 3 << 20);
        Sinks.Empty<Void> released = Sinks.empty();
        backend.plan(FaultPlan.script(new BackendFault.StalledBody(1 << 20, released.asMono()))
                .only(Operation.OPEN));
        CurrentObject.Cached found = one.find(object);
        AtomicLong arrived = new AtomicLong();
        CompletableFuture<Long> read = found.readBuffers(
                        new ByteRange(0, found.metadata().size() - 1))
                .map(Node::released)
                .doOnNext(arrived::addAndGet)
                .reduce(0L, Long::sum)
                .toFuture();
        Polling.until("its home has sent the first part", () -> arrived.get() > 0);
        assertThat(one.member.fallbacks()).isEqualTo(fallbacks);

        cluster.relay("other").cut(true);

        // The connection itself would be given up after twice that.
        assertThat(read).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(3L << 20);
        assertThat(one.member.fallbacks()).isGreaterThan(fallbacks);
        released.tryEmitEmpty();
        cluster.relay("other").cut(false);
    }

    @Test
    void silentHomeIsDoneWithoutUntilItIsHeardAgain() {
        ObjectRef object = stored("other", 1000);
        cluster.relay("other").cut(true);

        assertThat(one.read(object)).isEqualTo(1000);

        assertThat(one.member.fallbacks()).isGreaterThan(fallbacks);
        cluster.relay("other").cut(false);
        Polling.until("both have leases", () -> one.member.status().leaseHeld());
        awaitRelay();
    }
}
