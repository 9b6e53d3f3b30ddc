package io.millrace.gateway.read;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.IdentityLimitSettings;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.BucketSavings;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.read.ReceivedBatch.Entry;
import io.millrace.gateway.s3.gate.BatchTally;
import io.millrace.gateway.s3.gate.ObjectDecision;
import io.millrace.gateway.s3.observe.OutcomeCategory;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.ZipEntry;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Sinks;

/**
 * A batch is one tar with its items in the order asked: each read as its own GET, and by the right to it. It is whole,
 * or the response visibly is not.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(180)
class GetBatchTest {
    /** Arrays as a whole: the comparison of each byte by itself takes minutes. */
    private static final RecursiveComparisonConfiguration BY_CONTENT = RecursiveComparisonConfiguration.builder()
            .withEqualsForType(Arrays::equals, byte[].class)
            .build();

    /** The items that are opened ahead, and the batches of one identity that are answered at a time. */
    private static final int AHEAD = 32;

    /** Those of them that come past the cache. */
    private static final int MOST_PAST_CACHE = 8;

    private static final int MOST_OF_ONE = 24;
    private static final int[] SIZES = {0, 1, 511, 512, 513, 10_000, 16_384, 16_385, 65_536, 70_000, 2_300_000};
    private static final TestArchive FILES =
            TestArchive.of(Map.of("one", 1000, "empty", 0, "deep/er/file.txt", 77, "large", 1_300_000));

    @TempDir
    Path folder;

    private final InMemoryBackend objects = new InMemoryBackend(Set.of(Capability.WRITE));
    private final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());
    private final ExecutorService clients = Executors.newCachedThreadPool();
    private BlockCache cache;
    private TestGateway gateway;

    /** A gateway without a cache, where each item costs one request of the backend. */
    private TestGateway bare;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        gateway = builder().cache(cache).start();
        bare = builder().start();
        for (int size : SIZES) {
            store("data", key(size), content(size));
        }
        store("data", "a.zip", FILES.zip(ZipEntry.DEFLATED));
        store("data", "train/b.tar", FILES.tar());
        store("meta", "labels", content(700));
        store("open", "a.zip", FILES.zip(ZipEntry.STORED));
        store("open", "b.tar", FILES.tar());
    }

    private TestGateway.Builder builder() {
        return TestGateway.builder()
                .bucket("data", backend)
                .bucket("meta", backend)
                .bucket("gone", backend)
                .bucket("open", backend, "", "read")
                .derived("samples", "data", "*", "")
                .identity("reader", "READER", "reader-secret", "read:data/o-*", "read:data/a.zip")
                .identity("other", "OTHER", "other-secret", "read:data");
    }

    @AfterEach
    void stop() {
        clients.shutdownNow();
        gateway.close();
        bare.close();
        cache.close();
    }

    private void store(String bucket, String key, byte[] bytes) {
        objects.store(new ObjectRef(new BucketName(bucket), new ObjectKey(key)), bytes, HeaderList.EMPTY);
    }

    private static String key(int size) {
        return "o-" + size;
    }

    private static byte[] content(int size) {
        return GeneratedBytes.of("content").first(size);
    }

    private static SigningClient admin(TestGateway of) {
        return SigningClient.of(of, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
    }

    private static SigningClient caller(TestGateway of, String accessKey) {
        return SigningClient.of(of, accessKey, accessKey.toLowerCase(Locale.ROOT) + "-secret");
    }

    private static String object(String key) {
        return "{\"objname\":\"%s\"}".formatted(key);
    }

    private static String member(String archive, String name) {
        return "{\"objname\":\"%s\",\"archpath\":\"%s\"}".formatted(archive, name);
    }

    private static String sample(String archive, String name) {
        return "{\"objname\":\"%s\",\"sample\":\"%s\"}".formatted(archive, name);
    }

    private static String heads(List<String> items) {
        return "{\"in\":[%s],\"onob\":true,\"coer\":true,\"want\":\"head\"}".formatted(String.join(",", items));
    }

    private static String batch(List<String> items) {
        return "{\"in\":[%s],\"onob\":true}".formatted(String.join(",", items));
    }

    private static String batchThatGoesOn(List<String> items) {
        return "{\"in\":[%s],\"onob\":true,\"coer\":true}".formatted(String.join(",", items));
    }

    private static List<String> names(ReceivedBatch batch) throws IOException {
        return batch.entries().stream().map(Entry::name).toList();
    }

    private CompletableFuture<ReceivedBatch> later(SigningClient caller, String json) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return ReceivedBatch.of(caller, "data", json);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                clients);
    }

    private static RequestRecord last(TestGateway of) {
        Polling.until("it has ended", () -> of.inFlight() == 0 && !of.requests().isEmpty());
        return of.requests().get(of.requests().size() - 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itemsComeWholeAndInOrder(boolean cached) throws IOException {
        TestGateway served = cached ? gateway : bare;
        List<String> items = new ArrayList<>();
        List<Entry> expected = new ArrayList<>();
        for (int size : SIZES) {
            items.add(object(key(size)));
            expected.add(new Entry(key(size), content(size), null));
            for (String archive : List.of("a.zip", "train/b.tar")) {
                FILES.files().forEach((name, bytes) -> {
                    items.add(member(archive, name));
                    expected.add(new Entry(archive + "/" + name, bytes, null));
                });
            }
        }

        for (int times = 0; times < 2; times++) {
            ReceivedBatch batch = ReceivedBatch.of(admin(served), "data", batch(items));

            assertThat(batch.status()).as(batch.element("Message")).isEqualTo(200);
            assertThat(batch.isWhole()).isTrue();
            assertThat(batch.headers()).containsEntry("content-type", "application/x-tar");
            assertThat(batch.entries())
                    .usingRecursiveFieldByFieldElementComparator(BY_CONTENT)
                    .isEqualTo(expected);
        }
    }

    /** The first four with their headers fill a buffer to its last byte, and the fifth is sent as it is. */
    @Test
    void largeItemsFollowSmallOnesThatWereJoined() throws IOException {
        store("data", key(14_336), content(14_336));
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            keys.addAll(List.of(key(16_384), key(16_384), key(16_384), key(14_336), key(16_385)));
        }
        String json = batch(keys.stream().map(GetBatchTest::object).toList());

        for (int times = 0; times < 2; times++) {
            ReceivedBatch batch = ReceivedBatch.of(admin(gateway), "data", json);

            assertThat(names(batch)).isEqualTo(keys);
            assertThat(batch.entries())
                    .allSatisfy(entry -> assertThat(entry.content()).isEqualTo(content(entry.content().length)));
        }
    }

    @Test
    void namesHaveTheirBucketAndItemsMayHaveAnother() throws IOException {
        String json = """
            {"in":[{"objname":"labels","bucket":"meta","start":10,"length":5},
                {"objname":"o-513","start":512},
                {"objname":"a.zip/one","bucket":"samples"}]}\
            """;

        ReceivedBatch batch = ReceivedBatch.of(admin(gateway), "data", json);

        assertThat(batch.entries())
                .usingRecursiveFieldByFieldElementComparator(BY_CONTENT)
                .containsExactly(
                        new Entry("meta/labels", Arrays.copyOfRange(content(700), 10, 15), null),
                        new Entry("data/o-513", Arrays.copyOfRange(content(513), 512, 513), null),
                        new Entry(
                                "samples/a.zip/one",
                                requireNonNull(FILES.files().get("one")),
                                null));
    }

    @Test
    void missingItemIsAnEmptyFileWithItsCode() throws IOException {
        List<String> items = List.of(
                object("absent"),
                object("o-1"),
                object("secret"),
                "{\"objname\":\"o-1\",\"bucket\":\"none\"}",
                "{\"objname\":\"o-1\",\"start\":5}",
                member("a.zip", "absent"),
                member("train/b.tar", "one"),
                object("o-512"));

        ReceivedBatch all = ReceivedBatch.of(admin(gateway), "data", batchThatGoesOn(items));
        assertThat(all.isWhole()).isTrue();
        assertThat(all.entries())
                .extracting(Entry::code)
                .containsExactly(
                        "NoSuchKey", null, "NoSuchKey", "NoSuchBucket", "InvalidRange", "NoSuchKey", null, null);
        assertThat(all.entries().get(0).name()).isEqualTo("__404__/absent");
        assertThat(all.entries().get(0).content()).isEmpty();

        ReceivedBatch own = ReceivedBatch.of(caller(gateway, "READER"), "data", batchThatGoesOn(items));
        assertThat(own.entries())
                .extracting(Entry::code)
                .containsExactly(
                        "AccessDenied",
                        null,
                        "AccessDenied",
                        "AccessDenied",
                        "InvalidRange",
                        "AccessDenied",
                        "AccessDenied",
                        null);
        assertThat(last(gateway).decisions().stream().filter(one -> !one.isAllowed()))
                .extracting(ObjectDecision::key)
                .extracting(ObjectKey::value)
                .containsExactly("absent", "secret", "o-1", "train/b.tar");
    }

    @Test
    @Promise("R12")
    void cacheControlOfABatchIsThatOfItsItems() throws IOException {
        String json = batch(List.of(object("o-1"), member("a.zip", "one")));
        byte[] before = content(1);
        ReceivedBatch.of(admin(gateway), "data", json);
        byte[] after = new byte[] {(byte) ~before[0]};
        store("data", "o-1", after);

        ReceivedBatch any = ReceivedBatch.of(admin(gateway), "data", json);
        ReceivedBatch now = ReceivedBatch.of(admin(gateway), "data", json, Map.of("cache-control", "no-cache"));
        assertThat(any.entries().get(0).content()).isEqualTo(before);
        assertThat(now.entries().get(0).content()).isEqualTo(after);

        Map<String, String> onlyIfCached = Map.of("cache-control", "only-if-cached");
        String known = batch(List.of(object("o-1")));
        Polling.until(
                "it is stored",
                () -> ReceivedBatch.of(admin(gateway), "data", known, onlyIfCached)
                                .status()
                        == 200);
        long opened = backend.calls(FaultPlan.Operation.OPEN);
        String unknown = batch(List.of(object("o-1"), object("o-513")));
        ReceivedBatch cached = ReceivedBatch.of(admin(gateway), "data", unknown, onlyIfCached);
        assertThat(cached.status()).isEqualTo(504);
        assertThat(cached.element("Item")).isEqualTo("1");
        assertThat(backend.calls(FaultPlan.Operation.OPEN)).isEqualTo(opened);
    }

    @Test
    void errorBeforeTheFirstByteIsAnErrorOfS3() throws IOException {
        ReceivedBatch absent = ReceivedBatch.of(
                admin(gateway), "data", batch(List.of(object("o-1"), object("absent"), object("o-2300000"))));
        assertThat(absent.status()).isEqualTo(404);
        assertThat(absent.element("Code")).isEqualTo("NoSuchKey");
        assertThat(absent.element("Item")).isEqualTo("1");

        ReceivedBatch denied = ReceivedBatch.of(
                caller(gateway, "READER"), "data", batch(List.of(object("o-2300000"), object("secret"))));
        assertThat(denied.status()).isEqualTo(403);
        assertThat(denied.element("Item")).isEqualTo("1");
        assertThat(last(gateway).batch().orElseThrow().items()).isEqualTo(2);

        ReceivedBatch gone =
                ReceivedBatch.of(admin(gateway), "data", batch(List.of("{\"objname\":\"o-1\",\"bucket\":\"gone\"}")));
        assertThat(gone.element("Code")).isEqualTo("NoSuchBucket");
        assertThat(gone.element("BucketName")).isEqualTo("gone");

        ReceivedBatch malformed = ReceivedBatch.of(admin(gateway), "data", "{\"in\":[{\"objname\":");
        assertThat(malformed.status()).isEqualTo(400);
        assertThat(malformed.element("Code")).isEqualTo("InvalidRequest");

        RawClient.Response large =
                admin(gateway).ask("POST", "/data?batch", Map.of("content-length", Integer.toString((1 << 20) + 1)));
        assertThat(large.status()).isEqualTo(400);
        assertThat(large.element("Code")).isEqualTo("EntityTooLarge");
    }

    @Test
    @Promise("B1")
    void errorAfterTheFirstByteBreaksTheResponse() throws IOException {
        ReceivedBatch batch = ReceivedBatch.of(
                admin(gateway), "data", batch(List.of(object("o-2300000"), object("absent"), object("o-1"))));

        assertThat(batch.status()).isEqualTo(200);
        assertThat(batch.isWhole()).isFalse();
        assertThat(last(gateway).outcome()).isEqualTo(OutcomeCategory.CLIENT_ERROR);
        assertThat(last(gateway).error().orElseThrow().code()).isEqualTo("NoSuchKey");
    }

    /** A client that reads the tar as a stream takes no item for whole that is not. */
    @Test
    @Promise("B1")
    void bodyThatFailsBreaksTheResponseWithinItsItem() throws IOException {
        backend.plan(call -> call.number() == 1 ? new BackendFault.CutConnection(70_000) : BackendFault.NONE);

        ReceivedBatch batch = ReceivedBatch.of(
                admin(bare), "data", batchThatGoesOn(List.of(object("o-65536"), object("o-70000"), object("o-1"))));

        assertThat(batch.isWhole()).isFalse();
        assertThat(batch.body().length).isLessThan(512 + 65_536 + 512 + 70_000);
        assertThat(last(bare).outcome()).isEqualTo(OutcomeCategory.BROKEN);
    }

    @Test
    void fewItemsMayBeUnavailable() throws IOException {
        List<String> items =
                IntStream.range(0, 10).mapToObj(i -> object("o-65536")).toList();

        backend.plan(call -> call.number() > 0 && call.number() <= 8 ? unavailable() : BackendFault.NONE);
        ReceivedBatch batch = ReceivedBatch.of(admin(bare), "data", batchThatGoesOn(items));
        assertThat(batch.isWhole()).isTrue();
        assertThat(batch.entries().stream().filter(entry -> "ServiceUnavailable".equals(entry.code())))
                .hasSize(8);

        long before = backend.calls(FaultPlan.Operation.OPEN);
        backend.plan(call -> call.number() > before ? unavailable() : BackendFault.NONE);
        batch = ReceivedBatch.of(admin(bare), "data", batchThatGoesOn(items));
        assertThat(batch.isWhole()).isFalse();
    }

    /** Only the whole batch could be asked for again by its client. */
    @Test
    void itemsRefusedByABoundAreRequestedAgain() throws IOException {
        backend.plan(call -> call.number() < 3 ? new BackendFault.FailedCall(FailureKind.BUSY) : BackendFault.NONE);

        ReceivedBatch batch = ReceivedBatch.of(admin(bare), "data", batch(List.of(object("o-513"), object("o-1"))));

        assertThat(batch.status()).isEqualTo(200);
        assertThat(batch.isWhole()).isTrue();
        assertThat(names(batch)).containsExactly("o-513", "o-1");
    }

    private static BackendFault unavailable() {
        return new BackendFault.FailedCall(FailureKind.UNAVAILABLE);
    }

    /** The first item is slow: those behind it are opened meanwhile, as many as may be, and wait for it. */
    @Test
    void itemsAreOpenedAheadAndComeInOrder() throws IOException {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            keys.add("ahead-" + i);
            store("data", keys.get(i), content(SIZES[i % 9]));
        }

        assertThatItemsFollowASlowOneInOrder(gateway, keys, AHEAD);
    }

    /** An item that comes past the cache holds a connection of its backend, which others need, until its turn. */
    @Test
    void fewItemsThatComePastTheCacheAreOpenedAhead() throws IOException {
        List<String> keys =
                IntStream.range(0, 100).mapToObj(i -> key(SIZES[1 + i % 8])).toList();

        assertThatItemsFollowASlowOneInOrder(bare, keys, MOST_PAST_CACHE);
    }

    private void assertThatItemsFollowASlowOneInOrder(TestGateway of, List<String> keys, int ahead) throws IOException {
        Sinks.Empty<Void> release = Sinks.empty();
        backend.plan(call -> call.number() == 0 ? new BackendFault.StalledHead(release.asMono()) : BackendFault.NONE);

        CompletableFuture<ReceivedBatch> batch =
                later(admin(of), batch(keys.stream().map(GetBatchTest::object).toList()));
        Polling.until("items are opened", () -> backend.calls(FaultPlan.Operation.OPEN) == ahead);
        Polling.holdsFor(Duration.ofMillis(200), () -> backend.calls(FaultPlan.Operation.OPEN) == ahead);
        assertThat(batch).isNotDone();
        release.tryEmitEmpty();

        assertThat(names(batch.join())).isEqualTo(keys);
        assertThat(batch.join().isWhole()).isTrue();
    }

    @Test
    void mostItemsThatABatchMayHaveAreCounted() throws IOException {
        String items = IntStream.range(0, 4096)
                .mapToObj(i -> i == 4000 ? object("absent") : object(key(SIZES[i % 6])))
                .collect(Collectors.joining(","));

        ReceivedBatch batch =
                ReceivedBatch.of(admin(gateway), "data", "{\"in\":[" + items + "],\"coer\":true,\"onob\":true}");

        assertThat(batch.isWhole()).isTrue();
        assertThat(batch.entries()).hasSize(4096);
        assertThat(batch.entries().get(4000).code()).isEqualTo("NoSuchKey");
        BatchTally tally = last(gateway).batch().orElseThrow();
        assertThat(tally.items()).isEqualTo(4096);
        assertThat(tally.count(BatchTally.Outcome.HIT, BatchTally.Outcome.FETCHED))
                .isEqualTo(4095);
        assertThat(tally.count(BatchTally.Outcome.ABSENT)).isEqualTo(1);
    }

    /** What a batch reads would else have been fetched by as many requests. */
    @Test
    void itemsAreSavingsOfTheirBuckets() throws IOException {
        BucketSavingsRegistry savings = BucketSavingsRegistry.free();
        try (TestGateway counted = builder().cache(cache).savings(savings).start()) {
            List<String> items = List.of(object("o-513"), object("absent"), member("train/b.tar", "one"));
            for (int times = 0; times < 2; times++) {
                assertThat(ReceivedBatch.of(admin(counted), "data", batchThatGoesOn(items))
                                .isWhole())
                        .isTrue();
            }
        }

        BucketSavings.SavingsSnapshot data = savings.statements().stream()
                .filter(one -> one.bucket().equals("data"))
                .findFirst()
                .orElseThrow();
        assertThat(data.requestsServed()).isEqualTo(4);
        assertThat(data.bytesServed()).isEqualTo(2 * (513 + 1000));
    }

    /** Whoever leaves frees the place of its batch, what was opened, and all buffers. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void clientsThatLeaveHoldNothing(boolean cached) throws IOException {
        TestGateway served = cached ? gateway : bare;
        SigningClient caller = admin(served);
        String large =
                batch(IntStream.range(0, 20).mapToObj(i -> object("o-2300000")).toList());

        for (int i = 0; i < 2 * MOST_OF_ONE; i++) {
            try (RawClient connection = caller.connector().connect()) {
                ReceivedBatch.send(caller, connection, "data", large);
                assertThat(connection.in().readNBytes(100 * i)).hasSize(100 * i);
            }
        }

        assertThat(ReceivedBatch.of(caller, "data", large).isWhole()).isTrue();
        Polling.until("all have ended", () -> served.inFlight() == 0 && backend.openBodies() == 0);
    }

    @Test
    void connectionServesFurtherRequests() throws IOException {
        SigningClient caller = admin(gateway);
        try (RawClient connection = caller.connector().connect()) {
            for (int times = 0; times < 3; times++) {
                ReceivedBatch.send(caller, connection, "data", batch(List.of(object("o-513"), object("o-70000"))));

                ReceivedBatch batch = ReceivedBatch.read(connection.in());

                assertThat(batch.isWhole()).isTrue();
                assertThat(names(batch)).containsExactly("o-513", "o-70000");
            }
        }
    }

    /** Further batches of one identity wait, and leave their places to those of others. */
    @Test
    void batchesOfOneIdentityWaitForEachOther() throws IOException {
        Sinks.Empty<Void> release = Sinks.empty();
        backend.plan(call ->
                call.number() < MOST_OF_ONE ? new BackendFault.StalledHead(release.asMono()) : BackendFault.NONE);
        String json = batch(List.of(object("o-513")));
        List<CompletableFuture<ReceivedBatch>> batches = new ArrayList<>();
        for (int i = 0; i < 2 * MOST_OF_ONE; i++) {
            batches.add(later(admin(bare), json));
        }
        Polling.until("as many as may", () -> backend.calls(FaultPlan.Operation.OPEN) == MOST_OF_ONE);
        Polling.until("all have come", () -> bare.inFlight() == 2 * MOST_OF_ONE);
        Polling.holdsFor(Duration.ofMillis(200), () -> backend.calls(FaultPlan.Operation.OPEN) == MOST_OF_ONE);

        assertThat(ReceivedBatch.of(caller(bare, "OTHER"), "data", json).isWhole())
                .isTrue();
        assertThat(batches).noneMatch(CompletableFuture::isDone);
        release.tryEmitEmpty();

        for (CompletableFuture<ReceivedBatch> batch : batches) {
            assertThat(names(batch.join())).containsExactly("o-513");
        }
    }

    @Test
    void itemsCountForTheRequestRateOfTheirIdentity() throws IOException {
        IdentityLimitSettings slow = new IdentityLimitSettings(Optional.of(10), Optional.empty(), Optional.empty());
        try (TestGateway limited =
                builder().identity("slow", "SLOW", "slow-secret", slow).start()) {
            SigningClient caller = caller(limited, "SLOW");
            List<String> items =
                    IntStream.range(0, 3200).mapToObj(i -> object("o-1")).toList();
            assertThat(ReceivedBatch.of(caller, "data", batch(items)).isWhole()).isTrue();
            last(limited);

            assertThat(ReceivedBatch.of(caller, "data", batch(List.of(object("o-1"))))
                            .element("Code"))
                    .isEqualTo("SlowDown");
        }
    }

    /** A stranger cannot have whole tars scanned, as with MinIO's header. */
    @Test
    void strangersReadWhatIsOpen() throws IOException {
        SigningClient stranger = SigningClient.anonymous(gateway);

        ReceivedBatch batch = ReceivedBatch.of(
                stranger, "open", batchThatGoesOn(List.of(member("a.zip", "one"), member("b.tar", "one"))));
        assertThat(batch.entries()).extracting(Entry::code).containsExactly(null, "AccessDenied");

        assertThat(ReceivedBatch.of(stranger, "data", batch(List.of(object("o-1"))))
                        .status())
                .isEqualTo(403);
    }

    /** Its members come as they are in the archive, and the first of them says how many there are. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void samplesComeAsTheirMembers(boolean cached) throws IOException {
        TestGateway served = cached ? gateway : bare;
        TestArchive shard = TestArchive.of("7.txt", "d/7.jpg", "8.jpg", "7.jpg", "7.m/1.jpg", "README", "7.seg.png");
        store("data", "s.tar", shard.tar());
        store("data", "s.zip", shard.zip(ZipEntry.DEFLATED));

        for (String archive : List.of("s.tar", "s.zip", "s.tar")) {
            ReceivedBatch batch = ReceivedBatch.of(
                    admin(served),
                    "data",
                    batchThatGoesOn(List.of(
                            sample(archive, "7"),
                            object("o-1"),
                            sample(archive, "d/7"),
                            sample(archive, "absent"),
                            sample(archive, "7.txt"),
                            sample(archive, "README"),
                            member(archive, "8.jpg"))));

            assertThat(batch.isWhole()).isTrue();
            assertThat(names(batch))
                    .containsExactly(
                            archive + "/7.txt",
                            archive + "/7.jpg",
                            archive + "/7.seg.png",
                            "o-1",
                            archive + "/d/7.jpg",
                            "__404__/" + archive + "/absent",
                            "__404__/" + archive + "/7.txt",
                            archive + "/README",
                            archive + "/8.jpg");
            assertThat(batch.records("MILLRACE.members")).containsExactly("3", "", "", "", "1", "", "", "1", "");
            assertThat(batch.entries())
                    .extracting(Entry::code)
                    .containsExactly(null, null, null, null, null, "NoSuchKey", "NoSuchKey", null, null);
            assertThat(batch.entries().get(2).content())
                    .isEqualTo(requireNonNull(shard.files().get("7.seg.png")));
            assertThat(last(served).batch().orElseThrow().items()).isEqualTo(9);
        }
    }

    @Test
    void samplesNeedTheRightToTheirArchive() throws IOException {
        store(
                "data",
                "broken.tar",
                Arrays.copyOf(TestArchive.of("7.txt", "7.jpg").tar(), 3 * 512 + 100));
        List<String> items = List.of(
                sample("a.zip", "deep/er/file"),
                sample("train/b.tar", "deep/er/file"),
                sample("broken.tar", "7"),
                "{\"objname\":\"a.zip\",\"sample\":\"7\",\"bucket\":\"none\"}",
                "{\"objname\":\"a.zip\",\"sample\":\"one\",\"bucket\":\"samples\"}");

        ReceivedBatch all = ReceivedBatch.of(admin(gateway), "data", batchThatGoesOn(items));
        assertThat(all.entries())
                .extracting(Entry::code)
                .containsExactly(null, null, "InvalidArchive", "NoSuchBucket", "NoSuchKey");

        ReceivedBatch own = ReceivedBatch.of(caller(gateway, "READER"), "data", batchThatGoesOn(items));
        assertThat(own.entries())
                .extracting(Entry::code)
                .containsExactly(null, "AccessDenied", "AccessDenied", "AccessDenied", "AccessDenied");

        ReceivedBatch denied = ReceivedBatch.of(caller(gateway, "READER"), "data", batch(items));
        assertThat(denied.status()).isEqualTo(403);
        assertThat(denied.element("Item")).isEqualTo("1");

        ReceivedBatch strangers = ReceivedBatch.of(
                SigningClient.anonymous(gateway),
                "open",
                batchThatGoesOn(List.of(sample("a.zip", "deep/er/file"), sample("b.tar", "deep/er/file"))));
        assertThat(strangers.entries()).extracting(Entry::code).containsExactly(null, "AccessDenied");
    }

    @Test
    void oneSampleManyTimesIsServed() throws IOException {
        store("data", "s.tar", TestArchive.of("7.txt", "7.jpg").tar());
        List<String> items =
                IntStream.range(0, 4096).mapToObj(i -> sample("s.tar", "7")).toList();

        ReceivedBatch batch = ReceivedBatch.of(admin(gateway), "data", batch(items));

        assertThat(batch.isWhole()).isTrue();
        assertThat(batch.entries()).hasSize(2 * 4096);
        BatchTally tally = last(gateway).batch().orElseThrow();
        assertThat(tally.items()).isEqualTo(2 * 4096);
        assertThat(tally.count(BatchTally.Outcome.HIT, BatchTally.Outcome.FETCHED))
                .isEqualTo(2 * 4096);
    }

    /** Its picture must not come from one version of the shard, and its label from another. */
    @Test
    void sampleOfAShardThatIsReplacedMeanwhileIsNotHadNow() throws IOException {
        store("data", "s.tar", TestArchive.of("7.txt", "7.jpg").tar());
        byte[] replaced = TestArchive.of("7.jpg", "7.txt", "more").tar();
        backend.plan(call -> {
            // The shard was looked through then, and its members are read next.
            if (call.operation() == FaultPlan.Operation.HEAD && backend.calls(FaultPlan.Operation.OPEN) > 0) {
                store("data", "s.tar", replaced);
            }
            return BackendFault.NONE;
        });

        ReceivedBatch batch = ReceivedBatch.of(admin(bare), "data", batchThatGoesOn(List.of(sample("s.tar", "7"))));
        assertThat(batch.isWhole()).isTrue();
        assertThat(batch.entries()).extracting(Entry::code).containsExactly("ServiceUnavailable", "ServiceUnavailable");

        backend.plan(FaultPlan.none());
        ReceivedBatch again = ReceivedBatch.of(admin(bare), "data", batchThatGoesOn(List.of(sample("s.tar", "7"))));
        assertThat(names(again)).containsExactly("s.tar/7.jpg", "s.tar/7.txt");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void clientsThatLeaveInASampleHoldNothing(boolean cached) throws IOException {
        TestGateway served = cached ? gateway : bare;
        SigningClient caller = admin(served);
        store(
                "data",
                "s.tar",
                TestArchive.of(Map.of("7.bin", 1_300_000, "7.jpg", 70_000, "7.txt", 10))
                        .tar());
        String samples =
                batch(IntStream.range(0, 20).mapToObj(i -> sample("s.tar", "7")).toList());

        for (int i = 0; i < 2 * MOST_OF_ONE; i++) {
            try (RawClient connection = caller.connector().connect()) {
                ReceivedBatch.send(caller, connection, "data", samples);
                assertThat(connection.in().readNBytes(100 * i)).hasSize(100 * i);
            }
        }

        assertThat(ReceivedBatch.of(caller, "data", samples).isWhole()).isTrue();
        Polling.until("all have ended", () -> served.inFlight() == 0 && backend.openBodies() == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void headsHaveSizeAndTagWithoutBytes(boolean cached) throws IOException {
        TestGateway served = cached ? gateway : bare;
        store("data", "s.tar", TestArchive.of(Map.of("7.jpg", 600)).tar());
        String tag = requireNonNull(
                admin(served).ask("HEAD", "/data/o-513", Map.of()).headers().get("etag"));

        ReceivedBatch objectsAlone = ReceivedBatch.of(
                admin(served), "data", heads(List.of(object("o-513"), object("absent"), object("o-0"))));
        assertThat(objectsAlone.isWhole()).isTrue();
        assertThat(names(objectsAlone)).containsExactly("o-513", "__404__/absent", "o-0");
        assertThat(objectsAlone.entries())
                .allSatisfy(entry -> assertThat(entry.content()).isEmpty());
        assertThat(objectsAlone.records("MILLRACE.size")).containsExactly("513", "", "0");
        assertThat(objectsAlone.records("MILLRACE.etag")).startsWith(tag, "");
        assertThat(objectsAlone.records("MILLRACE.code")).containsExactly("", "NoSuchKey", "");
        assertThat(backend.calls(FaultPlan.Operation.OPEN)).isZero();

        ReceivedBatch members =
                ReceivedBatch.of(admin(served), "data", heads(List.of(member("a.zip", "one"), sample("s.tar", "7"))));
        assertThat(names(members)).containsExactly("a.zip/one", "s.tar/7.jpg");
        assertThat(members.records("MILLRACE.size")).containsExactly("1000", "600");
        assertThat(members.records("MILLRACE.members")).containsExactly("", "1");

        ReceivedBatch denied =
                ReceivedBatch.of(caller(served, "READER"), "data", heads(List.of(object("secret"), object("o-1"))));
        assertThat(denied.records("MILLRACE.code")).containsExactly("AccessDenied", "");
    }
}
