package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.BucketSettings.WriteMode;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Sinks;

/**
 * What was acknowledged is what every later read sees, whatever was on its way meanwhile: the promise without which
 * nobody can write through a cache.
 */
@ExtendWith(BufferLeakExtension.class)
class WriteFencingTest {
    private static final int SIZE = 100_000;

    @TempDir
    Path folder;

    private final InMemoryBackend objects = new InMemoryBackend(EnumSet.of(
            Capability.WRITE,
            Capability.CONDITIONAL_WRITE,
            Capability.MULTIPART,
            Capability.COPY,
            Capability.CHECKSUMS));
    private final BlockedReads reads = new BlockedReads(objects);
    private final FaultyBackend backend = new FaultyBackend(reads.backend(), FaultPlan.none());
    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        TestGateway.Builder builder = TestGateway.builder().cache(cache);
        for (Mode mode : Mode.values()) {
            for (WriteMode write : WriteMode.values()) {
                String bucket = (mode + "-" + write).toLowerCase(Locale.ROOT);
                objects.createBucket(new BucketName(bucket));
                builder.freshness(BucketViews.freshness(
                                mode,
                                Duration.ofHours(1),
                                Duration.ofHours(1),
                                mode == Mode.STRICT ? Duration.ZERO : Duration.ofHours(1)))
                        .write(write)
                        .bucket(bucket, backend);
            }
        }
        gateway = builder.start();
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @Promise("W1")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "ttl-invalidate", "immutable-fill", "immutable-invalidate", "strict-fill"})
    void everyKindOfWriteInvalidatesTheCache(String bucket) throws IOException {
        put(bucket, "source", 100);
        for (int version = 1; version < 4; version++) {
            put(bucket, "key", version);
            assertVersion(bucket, "key", version);
            assertVersion(bucket, "key", version);
        }
        assertOk(send(SignedWriteRequest.of("PUT", path(bucket, "key"))
                .with("x-amz-copy-source: " + path(bucket, "source"))));
        assertVersion(bucket, "key", 100);

        String id = send(SignedWriteRequest.of("POST", path(bucket, "key") + "?uploads"))
                .element("UploadId");
        RawClient.Response part =
                send(SignedWriteRequest.put(path(bucket, "key") + "?partNumber=1&uploadId=" + id, content("key", 7)));
        assertVersion(bucket, "key", 100);
        assertOk(send(SignedWriteRequest.of("POST", path(bucket, "key") + "?uploadId=" + id)
                .body("<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                        + part.headers().get("etag") + "</ETag></Part></CompleteMultipartUpload>")));
        assertVersion(bucket, "key", 7);

        send(PostForm.of(bucket, "key", content("key", 8)).ask());
        assertVersion(bucket, "key", 8);

        assertThat(send(SignedWriteRequest.of("DELETE", path(bucket, "key"))).status())
                .isEqualTo(204);
        assertGone(bucket, "key");
        put(bucket, "key", 9);
        assertVersion(bucket, "key", 9);

        assertOk(send(SignedWriteRequest.of("POST", "/" + bucket + "?delete")
                .body("<Delete><Object><Key>key</Key></Object></Delete>")));
        assertGone(bucket, "key");
        assertGone(bucket, "key");
        put(bucket, "key", 10);
        assertVersion(bucket, "key", 10);
    }

    /** The tag stays the same, and so does where the part lies. */
    @Promise("R11")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "ttl-invalidate", "immutable-fill", "immutable-invalidate", "strict-fill"})
    void partHasTheAcknowledgedFields(String bucket) throws IOException {
        String part = path(bucket, "key") + "?partNumber=1";
        assertOk(send(
                SignedWriteRequest.put(path(bucket, "key"), content("key", 1)).with("content-type: text/plain")));
        RawClient.Response before = send(SignedWriteRequest.of("HEAD", part));
        assertThat(before.headers()).containsEntry("content-type", "text/plain");

        assertOk(send(SignedWriteRequest.of("PUT", path(bucket, "key"))
                .with(
                        "x-amz-copy-source: " + path(bucket, "key"),
                        "x-amz-metadata-directive: REPLACE",
                        "content-type: text/html",
                        "x-amz-meta-new: yes")));

        for (SignedWriteRequest ask : List.of(SignedWriteRequest.get(part), SignedWriteRequest.of("HEAD", part))) {
            RawClient.Response now = send(ask);
            assertThat(now.status()).isEqualTo(206);
            assertThat(now.headers())
                    .containsEntry("etag", String.valueOf(before.headers().get("etag")))
                    .containsEntry("content-type", "text/html")
                    .containsEntry("x-amz-meta-new", "yes");
        }
    }

    /** The answer to the reader was true when it was sent; it comes behind the acknowledgement of what replaced it. */
    @Promise("W3")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "ttl-invalidate", "immutable-fill", "immutable-invalidate", "strict-fill"})
    void responseOvertakenByAWriteIsNotCached(String bucket) throws Exception {
        store(bucket, "key", 1);
        Sinks.Empty<Void> release = Sinks.empty();
        reads.holdNext(release.asMono());
        CompletableFuture<RawClient.Response> reader = async(SignedWriteRequest.get(path(bucket, "key")));
        Polling.until("the answer is on its way", () -> reads.held() == 1);

        put(bucket, "key", 2);
        assertVersion(bucket, "key", 2);
        release.tryEmitEmpty();

        RawClient.Response old = reader.get(60, TimeUnit.SECONDS);
        assertThat(old.status()).isEqualTo(200);
        assertThat(old.bytes()).isIn(content("key", 1), content("key", 2));
        for (int i = 0; i < 3; i++) {
            assertVersion(bucket, "key", 2);
        }
    }

    @Promise("R9")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "immutable-invalidate", "strict-fill"})
    void absenceOvertakenByAWriteIsNotCached(String bucket) throws Exception {
        Sinks.Empty<Void> release = Sinks.empty();
        reads.holdNext(release.asMono());
        CompletableFuture<RawClient.Response> reader = async(SignedWriteRequest.get(path(bucket, "key")));
        Polling.until("the answer is on its way", () -> reads.held() == 1);

        put(bucket, "key", 1);
        release.tryEmitEmpty();
        reader.get(60, TimeUnit.SECONDS);

        assertVersion(bucket, "key", 1);
        assertVersion(bucket, "key", 1);
    }

    @Promise("W3")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "immutable-invalidate", "strict-fill"})
    void responseOvertakenByADeleteIsNotCached(String bucket) throws Exception {
        store(bucket, "key", 1);
        Sinks.Empty<Void> release = Sinks.empty();
        reads.holdNext(release.asMono());
        CompletableFuture<RawClient.Response> reader = async(SignedWriteRequest.of("HEAD", path(bucket, "key")));
        Polling.until("the answer is on its way", () -> reads.held() == 1);

        assertThat(send(SignedWriteRequest.of("DELETE", path(bucket, "key"))).status())
                .isEqualTo(204);
        release.tryEmitEmpty();
        reader.get(60, TimeUnit.SECONDS);

        assertGone(bucket, "key");
        assertGone(bucket, "key");
    }

    /** What is asked while a write is under way may be answered with either content, and neither may stay. */
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "ttl-invalidate", "immutable-fill", "immutable-invalidate", "strict-fill"})
    void responseReadDuringAWriteIsNotCached(String bucket) throws Exception {
        store(bucket, "key", 1);
        Sinks.Empty<Void> release = Sinks.empty();
        backend.plan(
                FaultPlan.script(new BackendFault.StalledHead(release.asMono())).only(Operation.PUT));
        CompletableFuture<RawClient.Response> writer =
                async(SignedWriteRequest.put(path(bucket, "key"), content("key", 2)));
        Polling.until("the write has begun", () -> backend.calls(Operation.PUT) == 1);

        assertVersion(bucket, "key", 1);
        assertVersion(bucket, "key", 1);
        release.tryEmitEmpty();
        assertOk(writer.get(60, TimeUnit.SECONDS));

        assertVersion(bucket, "key", 2);
        assertVersion(bucket, "key", 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "immutable-fill"})
    void writtenObjectIsAHitWithoutAFetch(String bucket) throws IOException {
        put(bucket, "key", 1);
        RawClient.Response first = send(SignedWriteRequest.get(path(bucket, "key")));
        RawClient.Response second = send(SignedWriteRequest.get(path(bucket, "key")));

        assertThat(first.bytes()).isEqualTo(content("key", 1));
        assertThat(second.bytes()).isEqualTo(content("key", 1));
        assertThat(second.headers().get("cache-status")).startsWith("millrace; hit");
        assertThat(backend.calls(Operation.OPEN)).isZero();
    }

    @Test
    void aBucketThatInvalidatesFetchesWhatIsWanted() throws IOException {
        put("ttl-invalidate", "key", 1);
        assertThat(backend.calls(Operation.OPEN) + backend.calls(Operation.HEAD))
                .isZero();

        assertVersion("ttl-invalidate", "key", 1);

        assertThat(backend.calls(Operation.OPEN)).isEqualTo(1);
    }

    /** It may have happened: only the backend knows. */
    @Promise("W4")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "ttl-invalidate", "immutable-fill", "immutable-invalidate", "strict-fill"})
    void aLostAcknowledgementIsNoSuccessAndHidesNothing(String bucket) throws IOException {
        put(bucket, "key", 1);
        assertVersion(bucket, "key", 1);
        backend.plan(FaultPlan.script(new BackendFault.LostResponse()).only(Operation.PUT));

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put(path(bucket, "key"), content("key", 2))), 503, "ServiceUnavailable");

        assertVersion(bucket, "key", 2);
        assertVersion(bucket, "key", 2);

        backend.plan(FaultPlan.script(new BackendFault.LostResponse()).only(Operation.DELETE));
        assertThat(send(SignedWriteRequest.of("DELETE", path(bucket, "key"))).status())
                .isEqualTo(503);
        assertGone(bucket, "key");
    }

    /**
     * The backend takes it long after it has been given up: until nobody can doubt any more, nothing is taken for
     * known.
     */
    @Promise("W4")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "immutable-invalidate"})
    void unacknowledgedWriteMayStillHappen(String bucket) throws IOException {
        put(bucket, "key", 1);
        assertVersion(bucket, "key", 1);
        backend.plan(FaultPlan.script(new BackendFault.FailedCall(FailureKind.UNAVAILABLE))
                .only(Operation.PUT));
        assertThat(send(SignedWriteRequest.put(path(bucket, "key"), content("key", 2)))
                        .status())
                .isEqualTo(503);
        assertVersion(bucket, "key", 1);

        store(bucket, "key", 2);

        assertVersion(bucket, "key", 2);
    }

    /** Nobody doubts what is there: the next read is cached again. */
    @Promise("W4")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "immutable-invalidate"})
    void writeThatTheGatewayDidNotSendLeavesNoDoubt(String bucket) throws IOException {
        put(bucket, "key", 1);
        backend.plan(
                FaultPlan.script(new BackendFault.FailedCall(FailureKind.BUSY)).only(Operation.PUT));

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put(path(bucket, "key"), content("key", 2))), 503, "SlowDown");

        assertVersion(bucket, "key", 1);
        Polling.until("what is read stays", () -> isHit(bucket, "key"));
        assertVersion(bucket, "key", 1);
    }

    @Promise("W5")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "immutable-invalidate", "strict-fill"})
    void aWriteThatIsRefusedLeavesWhatWasThere(String bucket) throws IOException {
        put(bucket, "key", 1);
        assertVersion(bucket, "key", 1);

        assertThat(send(SignedWriteRequest.put(path(bucket, "key"), content("key", 2))
                                .with("If-None-Match: *"))
                        .status())
                .isEqualTo(412);
        assertThat(send(SignedWriteRequest.put(path(bucket, "key"), content("key", 2))
                                .with("Content-MD5: " + TestChecksum.md5(new byte[1])))
                        .status())
                .isEqualTo(400);

        assertVersion(bucket, "key", 1);
        assertVersion(bucket, "key", 1);
    }

    /** Only its end tells what the object is. */
    @Promise("W7")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "immutable-invalidate"})
    void writeContinuesAfterItsClientDisconnects(String bucket) throws Exception {
        put(bucket, "key", 1);
        assertVersion(bucket, "key", 1);
        Sinks.Empty<Void> release = Sinks.empty();
        backend.plan(FaultPlan.script(new BackendFault.LateResponse(release.asMono()))
                .only(Operation.PUT));
        try (RawClient client = new RawClient(gateway.port())) {
            client.socket()
                    .getOutputStream()
                    .write(SignedWriteRequest.put(path(bucket, "key"), content("key", 2))
                            .text()
                            .getBytes(StandardCharsets.ISO_8859_1));
            Polling.until("the write has begun", () -> backend.calls(Operation.PUT) == 2);
            Polling.until("it has happened", () -> isVersion(bucket, "key", 2));
        }
        Polling.until("the client has left", () -> gateway.inFlight() == 0);
        release.tryEmitEmpty();

        assertVersion(bucket, "key", 2);
        Polling.until("the write has ended, so that what is read stays", () -> isHit(bucket, "key"));
        assertVersion(bucket, "key", 2);
    }

    /**
     * One writer a key, so that versions rise; a reader must see what was acknowledged before it asked, or later ones.
     */
    @Promise("W2")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "ttl-invalidate", "immutable-fill", "strict-invalidate"})
    void readersSeeAcknowledgedWrites(String bucket) throws Exception {
        backend.plan(FaultPlan.seeded(
                bucket.hashCode(),
                0.3,
                List.of(
                        new BackendFault.DelayedHead(Duration.ofMillis(3)),
                        new BackendFault.DelayedPieces(Duration.ofMillis(1)),
                        new BackendFault.DelayedHead(Duration.ofMillis(9)))));
        int keys = 3;
        int versions = 12;
        ExecutorService threads = Executors.newFixedThreadPool(3 * keys);
        CompletableFuture<?>[] workers = new CompletableFuture<?>[keys * 3];
        for (int key = 0; key < keys; key++) {
            AtomicInteger seen = new AtomicInteger();
            String name = "key-" + key;
            putSmall(bucket, name, 1);
            seen.set(1);
            workers[3 * key] = CompletableFuture.runAsync(
                    () -> {
                        for (int version = 2; version <= versions; version++) {
                            putSmall(bucket, name, version);
                            seen.set(version);
                        }
                    },
                    threads);
            for (int reader = 1; reader < 3; reader++) {
                workers[3 * key + reader] = CompletableFuture.runAsync(
                        () -> {
                            while (seen.get() < versions) {
                                int before = seen.get();
                                assertThat(versionOf(bucket, name)).isGreaterThanOrEqualTo(before);
                            }
                        },
                        threads);
            }
        }
        CompletableFuture.allOf(workers).get(60, TimeUnit.SECONDS);
        threads.shutdown();

        for (int key = 0; key < keys; key++) {
            assertThat(versionOf(bucket, "key-" + key)).isEqualTo(versions);
        }
    }

    /** Each time it is known what is to be read, it has been replaced when it is. */
    @Promise("R1")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "immutable-invalidate", "strict-invalidate"})
    void constantlyReplacedObjectBypassesTheCache(String bucket) throws IOException {
        store(bucket, "key", 1);
        BackendFault replaced = new BackendFault.FailedCall(FailureKind.VERSION_CHANGED);
        backend.plan(FaultPlan.script(replaced, replaced, replaced).only(Operation.OPEN));

        RawClient.Response get = send(SignedWriteRequest.get(path(bucket, "key")));

        assertOk(get);
        assertThat(get.bytes()).isEqualTo(content("key", 1));
        assertThat(backend.calls(Operation.OPEN)).isEqualTo(4);
    }

    /**
     * The tag holds when it is asked for, and not when the range is read: then the whole of what is there now is
     * wanted.
     */
    @Promise("R1")
    @ParameterizedTest
    @ValueSource(strings = {"ttl-fill", "immutable-invalidate", "strict-invalidate"})
    void bypassedRangeOfAReplacedObjectReturnsTheWhole(String bucket) throws IOException {
        store(bucket, "key", 1);
        String tag = send(SignedWriteRequest.of("HEAD", path(bucket, "key")))
                .headers()
                .get("etag");
        backend.plan(FaultPlan.script(new BackendFault.FailedCall(FailureKind.VERSION_CHANGED))
                .only(Operation.OPEN));

        RawClient.Response get = send(SignedWriteRequest.get(path(bucket, "key"))
                .with("Range: bytes=0-9")
                .with("If-Range: " + tag)
                .with("Cache-Control: no-store"));

        assertOk(get);
        assertThat(get.bytes()).isEqualTo(content("key", 1));
        assertThat(backend.calls(Operation.OPEN)).isEqualTo(2);
    }

    private void putSmall(String bucket, String key, int version) {
        try {
            String text = version + "-" + "x".repeat(ThreadLocalRandom.current().nextInt(5000));
            assertOk(send(SignedWriteRequest.put(path(bucket, key), text.getBytes(StandardCharsets.UTF_8))));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private int versionOf(String bucket, String key) {
        try {
            RawClient.Response response = send(SignedWriteRequest.get(path(bucket, key)));
            assertOk(response);
            return Integer.parseInt(response.text().substring(0, response.text().indexOf('-')));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Behind the gateway's back. */
    private void store(String bucket, String key, int version) {
        objects.store(
                new ObjectRef(new BucketName(bucket), new ObjectKey(key)), content(key, version), HeaderList.EMPTY);
    }

    private void put(String bucket, String key, int version) throws IOException {
        assertOk(send(SignedWriteRequest.put(path(bucket, key), content(key, version))));
    }

    private static byte[] content(String key, int version) {
        return new GeneratedBytes(key.equals("source") ? "key" : key, version).first(SIZE + version);
    }

    private void assertVersion(String bucket, String key, int version) throws IOException {
        RawClient.Response get = send(SignedWriteRequest.get(path(bucket, key)));
        assertOk(get);
        assertThat(get.bytes()).as("version %d", version).isEqualTo(content(key, version));
        assertThat(send(SignedWriteRequest.of("HEAD", path(bucket, key))).headers())
                .containsEntry("content-length", Integer.toString(SIZE + version))
                .containsEntry("etag", String.valueOf(get.headers().get("etag")));
        assertThat(send(SignedWriteRequest.get(path(bucket, key)).with("Range: bytes=70000-70009"))
                        .bytes())
                .isEqualTo(new GeneratedBytes("key", version).slice(70_000, 10));
    }

    private boolean isVersion(String bucket, String key, int version) {
        try {
            return Arrays.equals(send(SignedWriteRequest.get(path(bucket, key))).bytes(), content(key, version));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private boolean isHit(String bucket, String key) {
        try {
            String status =
                    send(SignedWriteRequest.get(path(bucket, key))).headers().get("cache-status");
            return status != null && status.startsWith("millrace; hit");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void assertGone(String bucket, String key) throws IOException {
        assertThat(send(SignedWriteRequest.get(path(bucket, key))).status()).isEqualTo(404);
        assertThat(send(SignedWriteRequest.of("HEAD", path(bucket, key))).status())
                .isEqualTo(404);
    }

    private static void assertOk(RawClient.Response response) {
        assertThat(response.status()).as("%.300s", response.text()).isEqualTo(200);
    }

    private RawClient.Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway.port());
    }

    private CompletableFuture<RawClient.Response> async(SignedWriteRequest ask) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return send(ask);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    private static String path(String bucket, String key) {
        return "/" + bucket + "/" + key;
    }
}
