package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.s3.observe.OutcomeCategory;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import io.millrace.gateway.testkit.TlsClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests what clients of a cold or cached object see, and how many backend requests that costs. */
@ExtendWith(BufferLeakExtension.class)
class CurrentObjectFinderTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private final ComputedBackend backend = new ComputedBackend();
    private final AtomicLong ahead = new AtomicLong();
    private final Instant begin = Instant.now();

    /** Stands still by itself: what takes long here is no older for that. */
    private final InstantSource clock = () -> begin.plusMillis(ahead.get());

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(TlsClient.context(null))
            .build();
    private BlockCache cache;
    private TestGateway gateway;

    /** Returns by what the readers of a herd are divided where a client costs more. */
    int share() {
        return 1;
    }

    /** Returns a gateway for {@link #start}, to be completed. */
    TestGateway.Builder builder() {
        return TestGateway.builder();
    }

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder, "1GiB", clock);
        gateway = builder()
                .cache(cache)
                .clock(clock)
                .freshness(rule(Mode.TTL))
                .bucket("ttl", backend, "", "read,list")
                .freshness(rule(Mode.IMMUTABLE))
                .bucket("immutable", backend, "", "read")
                .freshness(rule(Mode.STRICT))
                .bucket("strict", backend, "", "read")
                .freshness(BucketViews.freshness(
                        Mode.TTL, Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ofMinutes(10)))
                .bucket("lenient", backend, "", "read")
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @Test
    void manyReadersOfAColdObjectCostOneFetch() {
        List<HttpResponse<byte[]>> responses = together(500 / share(), i -> request("ttl/herd/" + MIB));

        byte[] right = backend.bytes("herd/" + MIB, 0, MIB);
        assertThat(responses).allMatch(response -> response.statusCode() == 200);
        assertThat(responses).allSatisfy(response -> assertThat(response.body()).isEqualTo(right));
        assertThat(backend.asked()).containsExactly("GET herd/" + MIB);
    }

    @Test
    void concurrentReadersFetchEachByteOnce() {
        int mib = share() == 1 ? 32 : 8;
        int readers = mib * 5 / 8;
        String key = "joined/" + mib * MIB;
        List<HttpResponse<byte[]>> responses = together(
                readers,
                i -> i % 2 == 0 ? request("ttl/" + key) : range("ttl/" + key, (long) i * MIB + 77, (mib - 1L) * MIB));

        for (int i = 0; i < responses.size(); i++) {
            long first = i % 2 == 0 ? 0 : (long) i * MIB + 77;
            long last = i % 2 == 0 ? (long) mib * MIB - 1 : (mib - 1L) * MIB;
            assertThat(responses.get(i).body()).isEqualTo(backend.bytes(key, first, (int) (last - first + 1)));
        }
        assertThat(backend.gets()).isLessThanOrEqualTo(8);
        assertThat(backend.sent()).isEqualTo((long) mib * MIB);
    }

    @Test
    void overlappingRangesInOneMebibyteFetchLittle() {
        String key = "ranges/" + 1024L * MIB;
        List<HttpResponse<byte[]>> responses = together(
                200 / share(), i -> range("ttl/" + key, 500L * MIB + i * 4000L, 500L * MIB + i * 4000L + 9999));

        for (int i = 0; i < responses.size(); i++) {
            assertThat(responses.get(i).statusCode()).isEqualTo(206);
            assertThat(responses.get(i).body()).isEqualTo(backend.bytes(key, 500L * MIB + i * 4000L, 10_000));
        }
        assertThat(backend.sent()).isLessThanOrEqualTo(4L * MIB);
    }

    @Test
    void fourKibibytesOfATebibyteCostOneBlock() throws Exception {
        String key = "huge/" + (1L << 40);

        HttpResponse<byte[]> response = send(range("ttl/" + key, 777L << 30, (777L << 30) + 4095));

        assertThat(response.body()).isEqualTo(backend.bytes(key, 777L << 30, 4096));
        assertThat(response.headers().firstValue("content-range").orElse(""))
                .isEqualTo("bytes %d-%d/%d".formatted(777L << 30, (777L << 30) + 4095, 1L << 40));
        assertThat(backend.gets()).isEqualTo(1);
        assertThat(backend.sent()).isLessThanOrEqualTo(MIB);
    }

    @Test
    void readersGetTheBytesBeforeAStall() throws Exception {
        String key = "stalled/" + 4 * MIB;
        backend.stallAt(2L * MIB);

        try (InputStream first = stream("ttl/" + key);
                InputStream second = stream("ttl/" + key)) {
            assertThat(first.readNBytes(2 * MIB)).isEqualTo(backend.bytes(key, 0, 2 * MIB));
            assertThat(second.readNBytes(2 * MIB)).isEqualTo(backend.bytes(key, 0, 2 * MIB));
        }
        assertThat(backend.gets()).isEqualTo(1);
    }

    /** It needs nothing more of the backend, which sends nothing more. */
    @Test
    void lateReaderGetsFilledBytesAtOnce() throws Exception {
        String key = "slow/" + 8 * MIB;
        backend.stallAt(4L * MIB);

        try (InputStream first = stream("ttl/" + key)) {
            first.readNBytes(4 * MIB);
            try (InputStream second = stream("ttl/" + key)) {
                assertThat(second.readNBytes(4 * MIB)).isEqualTo(backend.bytes(key, 0, 4 * MIB));
            }
        }
        assertThat(backend.gets()).isEqualTo(1);
    }

    @Test
    void theSecondReaderGetsAllThoughTheFirstLeaves() throws Exception {
        String key = "left/" + 8 * MIB;
        backend.pause(Duration.ofMillis(2));
        InputStream first = stream("ttl/" + key);
        first.readNBytes(MIB);
        try (InputStream second = stream("ttl/" + key)) {
            assertThat(second.readNBytes(1)).hasSize(1);
            first.close();

            assertThat(second.readAllBytes()).isEqualTo(backend.bytes(key, 1, 8 * MIB - 1));
        }
        assertThat(backend.sent()).isEqualTo(8L * MIB);
    }

    @Test
    void resumesACutBodyWhereItBroke() throws Exception {
        String key = "cut/" + 3 * MIB;
        backend.cutOnceAt(MIB + 12_345);

        assertThat(send(request("ttl/" + key)).body()).isEqualTo(backend.bytes(key, 0, 3 * MIB));
        assertThat(backend.asked())
                .containsExactly("GET " + key, "GET %d-%d %s".formatted(MIB + 12_345, 3 * MIB - 1, key));
    }

    @Promise("R2")
    @Test
    void bodyThatIsAlwaysCutIsNotCached() throws Exception {
        String key = "always/" + 3 * MIB;
        backend.cutAlwaysAt(MIB + 12_345);

        assertThatThrownBy(() -> send(request("ttl/" + key))).isInstanceOf(IOException.class);

        backend.cutAlwaysAt(Long.MAX_VALUE);
        assertThat(send(request("ttl/" + key)).body()).isEqualTo(backend.bytes(key, 0, 3 * MIB));
    }

    @Promise("R1")
    @Test
    void objectReplacedDuringAFillIsNeverMixed() throws Exception {
        String key = "replaced/" + 4 * MIB;
        byte[] before = backend.bytes(key, 0, 4 * MIB);
        backend.cutOnceAt(2L * MIB + 5);
        InputStream body = stream("immutable/" + key);
        byte[] some = body.readNBytes(MIB);
        backend.replace(key);

        byte[] rest;
        try {
            rest = body.readAllBytes();
        } catch (IOException broken) {
            rest = new byte[0];
        }
        // All of it had been sent before it was replaced, or it broke off.
        assertThat(some).isEqualTo(java.util.Arrays.copyOf(before, MIB));
        assertThat(rest.length == 0 || rest.length == 3 * MIB).isTrue();
        assertThat(send(request("immutable/" + key)).body().length).isEqualTo(4 * MIB);
    }

    @Test
    void permanentRefusalIsReportedAndRetriedSeldom() throws Exception {
        backend.refuse(Integer.MAX_VALUE);

        List<HttpResponse<byte[]>> responses = together(50, i -> request("ttl/refused/1000"));

        assertThat(responses).allMatch(response -> response.statusCode() == 503);
        assertThat(backend.gets()).isLessThanOrEqualTo(60);
    }

    @Test
    void freshContentIsAHitAndStaleIsRevalidated() throws Exception {
        assertThat(status("ttl/fresh/5000")).startsWith("millrace; fwd=miss");
        awaitStored();
        assertThat(status("ttl/fresh/5000")).matches("millrace; hit; ttl=[45]\\d");
        ahead.set(61_000);
        assertThat(status("ttl/fresh/5000")).startsWith("millrace; fwd=stale");
        assertThat(status("ttl/fresh/5000")).matches("millrace; hit; ttl=[45]\\d");

        assertThat(backend.asked()).containsExactly("GET fresh/5000", "HEAD fresh/5000");
    }

    @Test
    void partsOfAnObjectComeOutOfItsBlocks() throws Exception {
        String key = "parts/" + 5 * MIB;
        HttpResponse<byte[]> cold = send(request("ttl/" + key + "?partNumber=2"));
        awaitStored();
        HttpResponse<byte[]> warm = send(request("ttl/" + key + "?partNumber=2"));

        assertThat(cold.body()).isEqualTo(backend.bytes(key, ComputedBackend.PART, 2 * MIB));
        assertThat(warm.body()).isEqualTo(cold.body());
        assertThat(warm.statusCode()).isEqualTo(206);
        assertThat(warm.headers().firstValue("content-range")).contains("bytes 2097152-4194303/5242880");
        assertThat(warm.headers().firstValue("cache-status").orElse("")).startsWith("millrace; hit");
        assertThat(backend.asked()).containsExactly("HEAD " + key, "HEAD part " + key, "GET 2097152-4194303 " + key);
    }

    @Promise("R11")
    @Test
    void partOfAReplacedObjectIsNew() throws Exception {
        String key = "newparts/" + 5 * MIB;
        send(request("ttl/" + key));
        awaitStored();
        backend.replace(key);

        assertThat(send(request("ttl/" + key + "?partNumber=3")).body())
                .isEqualTo(backend.bytes(key, 2 * ComputedBackend.PART, MIB));
    }

    @Test
    void partPositionIsRequestedOnceInStrictMode() throws Exception {
        String key = "located/" + 5 * MIB;
        for (int i = 0; i < 3; i++) {
            send(request("strict/" + key + "?partNumber=2"));
            awaitStored();
        }

        assertThat(backend.asked())
                .filteredOn(line -> line.startsWith("HEAD part"))
                .hasSize(1);
        assertThat(backend.asked()).filteredOn(("HEAD " + key)::equals).hasSize(3);
    }

    @Promise("R11")
    @Test
    void partsHaveTheCurrentFieldsOfTheirObject() throws Exception {
        String key = "redescribed/" + 5 * MIB;
        String part = "strict/" + key + "?partNumber=1";
        HeaderList parts = HeaderList.EMPTY.with("x-amz-mp-parts-count", "3");
        backend.tell(key, parts.with("content-type", "text/plain").with("x-amz-meta-a", "old"));
        assertThat(send(request(part)).headers().firstValue("content-type")).contains("text/plain");
        backend.tell(key, parts.with("content-type", "text/html").with("x-amz-meta-b", "new"));

        HttpResponse<byte[]> now = send(request(part));

        assertThat(now.headers().firstValue("content-type")).contains("text/html");
        assertThat(now.headers().firstValue("x-amz-meta-b")).contains("new");
        assertThat(now.headers().firstValue("x-amz-meta-a")).isEmpty();
        assertThat(now.headers().allValues("x-amz-mp-parts-count")).containsExactly("3");
        assertThat(backend.asked())
                .filteredOn(line -> line.startsWith("HEAD part"))
                .hasSize(1);
    }

    @Promise("R11")
    @Test
    void partsHaveTheirCurrentChecksums() throws Exception {
        String key = "resummed/" + 5 * MIB;
        String part = "strict/" + key + "?partNumber=1";
        backend.tell(key, HeaderList.EMPTY.with("x-amz-checksum-crc32", "AAAAAA=="));
        assertThat(send(request(part)).headers().firstValue("x-amz-checksum-crc32"))
                .isEmpty();
        assertThat(send(with(part, "x-amz-checksum-mode", "ENABLED")).headers().allValues("x-amz-checksum-crc32"))
                .containsExactly("AAAAAA==");
        backend.tell(key, HeaderList.EMPTY.with("x-amz-checksum-crc32c", "BBBBBB=="));

        HttpResponse<byte[]> now = send(with(part, "x-amz-checksum-mode", "ENABLED"));

        assertThat(now.headers().firstValue("x-amz-checksum-crc32")).isEmpty();
        assertThat(now.headers().allValues("x-amz-checksum-crc32c")).containsExactly("BBBBBB==");
    }

    @Promise("R10")
    @Test
    void servesStaleContentWhileTheBackendIsDown() throws Exception {
        send(request("lenient/down/5000"));
        send(request("ttl/strictly/5000"));
        awaitStored();
        backend.refuse(Integer.MAX_VALUE);

        ahead.set(90_000);
        assertThat(status("lenient/down/5000")).matches("millrace; hit; ttl=-(29|3\\d)");
        assertThat(send(request("ttl/strictly/5000")).statusCode()).isEqualTo(503);
        ahead.set(670_000);
        assertThat(send(request("lenient/down/5000")).statusCode()).isEqualTo(503);
    }

    @Promise({"R3", "R5"})
    @Test
    void revalidatesStrictAlwaysAndImmutableNever() throws Exception {
        send(request("immutable/a/5000"));
        send(request("strict/b/5000"));
        awaitStored();
        backend.replace("a/5000");
        backend.replace("b/5000");
        ahead.set(10_000_000_000L);

        assertThat(send(request("immutable/a/5000")).headers().firstValue("cache-status"))
                .contains("millrace; hit");
        assertThat(send(request("immutable/a/5000")).headers().firstValue("etag"))
                .contains("\"v0\"");
        HttpResponse<byte[]> strict = send(request("strict/b/5000"));
        assertThat(strict.headers().firstValue("etag")).contains("\"v1\"");
        assertThat(strict.body()).isEqualTo(backend.bytes("b/5000", 0, 5000));
    }

    @Promise("R4")
    @Test
    void servesTheOldVersionUntilItsTtlEnds() throws Exception {
        byte[] before = send(request("ttl/old/5000")).body();
        awaitStored();
        backend.replace("old/5000");

        assertThat(send(request("ttl/old/5000")).body()).isEqualTo(before);
        ahead.set(61_000);
        assertThat(send(request("ttl/old/5000")).body())
                .isEqualTo(backend.bytes("old/5000", 0, 5000))
                .isNotEqualTo(before);
    }

    @Promise("R7")
    @Test
    void contradictingConditionRevalidates() throws Exception {
        send(request("ttl/known/5000"));
        awaitStored();
        backend.replace("known/5000");

        HttpResponse<byte[]> response = send(HttpRequest.newBuilder(uri("ttl/known/5000"))
                .header("If-Match", "\"v1\"")
                .build());

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo(backend.bytes("known/5000", 0, 5000));
    }

    @Promise("R8")
    @Test
    void listingWithAnotherETagRevalidates() throws Exception {
        send(request("ttl/listed/5000"));
        awaitStored();
        backend.replace("listed/5000");

        HttpResponse<byte[]> list =
                send(HttpRequest.newBuilder(gateway.endpoint().resolve("/ttl?list-type=2&prefix=listed/5000"))
                        .build());

        assertThat(list.statusCode()).isEqualTo(200);
        assertThat(send(request("ttl/listed/5000")).body()).isEqualTo(backend.bytes("listed/5000", 0, 5000));
    }

    @Promise("R10")
    @Test
    void strictContentFailsWhileTheBackendIsDown() throws Exception {
        send(request("strict/down/5000"));
        awaitStored();
        backend.refuse(Integer.MAX_VALUE);

        assertThat(send(request("strict/down/5000")).statusCode()).isEqualTo(503);
        ahead.set(-3_600_000);
        assertThat(send(request("strict/down/5000")).statusCode()).isEqualTo(503);
        assertThat(send(request("ttl/down/5000")).statusCode()).isEqualTo(503);
    }

    @Test
    void refusalsFromTheCacheHaveACacheStatus() throws Exception {
        send(request("immutable/told/5000"));
        awaitStored();

        HttpResponse<byte[]> same = send(with("immutable/told/5000", "If-None-Match", "\"v0\""));
        HttpResponse<byte[]> other = send(with("immutable/told/5000", "If-Match", "\"v7\""));
        HttpResponse<byte[]> beyond = send(range("immutable/told/5000", 5000, 6000));

        assertThat(List.of(same.statusCode(), other.statusCode(), beyond.statusCode()))
                .containsExactly(304, 412, 416);
        assertThat(List.of(same, other, beyond))
                .allSatisfy(response -> assertThat(response.headers().firstValue("cache-status"))
                        .contains("millrace; hit"));
        assertThat(same.headers().firstValue("etag")).contains("\"v0\"");
        assertThat(backend.asked()).containsExactly("GET told/5000");
    }

    @Test
    void failuresReportWhyTheBackendWasQueried() throws Exception {
        send(request("ttl/failing/5000"));
        awaitStored();
        backend.refuse(Integer.MAX_VALUE);
        ahead.set(61_000);

        assertThat(send(request("ttl/failing/5000")).headers().firstValue("cache-status"))
                .contains("millrace; fwd=stale");
        assertThat(send(request("ttl/unknown/5000")).headers().firstValue("cache-status"))
                .contains("millrace; fwd=miss");
    }

    @Test
    void readsOfRunningFillsCountAsHitOrCollapsed() throws Exception {
        for (int i = 0; i < 30; i++) {
            String key = "ttl/soon-%d/5000".formatted(i);
            assertThat(status(key)).startsWith("millrace; fwd=miss");
            assertThat(status(key)).matches("millrace; (hit; ttl=\\d+|fwd=miss; collapsed; stored)");
        }
        backend.stallAt(2L * MIB);
        try (InputStream first = stream("ttl/waits/" + 4 * MIB)) {
            first.readNBytes(2 * MIB);
            HttpResponse<InputStream> second =
                    client.send(request("ttl/waits/" + 4 * MIB), BodyHandlers.ofInputStream());
            assertThat(second.headers().firstValue("cache-status")).contains("millrace; fwd=miss; collapsed; stored");
            second.body().close();
        }
    }

    @Promise("R9")
    @Test
    void rememberedAbsenceIsAHitForAWhile() throws Exception {
        InMemoryBackend objects = new InMemoryBackend();
        objects.createBucket(new BucketName("empty"));
        try (TestGateway other = TestGateway.builder()
                .cache(cache)
                .clock(clock)
                .freshness(rule(Mode.TTL))
                .bucket("empty", objects, "", "read,list")
                .start()) {
            HttpRequest absent = HttpRequest.newBuilder(other.endpoint().resolve("/empty/key"))
                    .build();
            assertThat(send(absent).headers().firstValue("cache-status")).contains("millrace; fwd=miss");
            HttpResponse<byte[]> again = send(absent);
            assertThat(again.statusCode()).isEqualTo(404);
            assertThat(again.headers().firstValue("cache-status").orElse("")).matches("millrace; hit; ttl=[0-4]");
            ahead.set(6000);
            assertThat(send(absent).headers().firstValue("cache-status")).contains("millrace; fwd=miss");
        }
    }

    @Promise("R6")
    @Test
    void revalidationSeesChangedFieldsDespiteSameETag() throws Exception {
        InMemoryBackend objects = new InMemoryBackend();
        objects.createBucket(new BucketName("copied"));
        ObjectRef object = new ObjectRef(new BucketName("copied"), new ObjectKey("onto-itself"));
        byte[] bytes = "the same".getBytes(StandardCharsets.UTF_8);
        ObjectVersion before = objects.store(object, bytes, HeaderList.EMPTY.with("content-type", "text/plain"));
        try (TestGateway other = TestGateway.builder()
                .cache(cache)
                .clock(clock)
                .freshness(rule(Mode.TTL))
                .bucket("copied", objects, "", "read,list")
                .start()) {
            HttpRequest read = HttpRequest.newBuilder(other.endpoint().resolve("/copied/onto-itself"))
                    .build();
            assertThat(send(read).headers().firstValue("content-type")).contains("text/plain");
            ObjectVersion after = objects.store(object, bytes, HeaderList.EMPTY.with("content-type", "text/html"));
            assertThat(after).isEqualTo(before);
            ahead.set(61_000);

            assertThat(send(read).headers().firstValue("content-type")).contains("text/html");
        }
    }

    @Test
    void slowReadersOfLargeFilesAreNotDisconnected() throws Exception {
        send(request("ttl/slowly/" + MIB));
        awaitStored();
        send(request("ttl/slowly/" + MIB));
        try (TestGateway impatient = builder()
                        .cache(cache)
                        .clock(clock)
                        .freshness(rule(Mode.TTL))
                        .stalledReader(Duration.ofSeconds(6))
                        .bucket("ttl", backend, "", "read")
                        .start();
                RawClient slow = impatient.connect()) {
            slow.socket().setReceiveBufferSize(16 * 1024);
            slow.socket()
                    .getOutputStream()
                    .write("GET /ttl/slowly/%d HTTP/1.1\r\nHost: a\r\n\r\n"
                            .formatted(MIB)
                            .getBytes(StandardCharsets.US_ASCII));
            slow.readSlowly(MIB, Duration.ofMillis(400));
            slow.in().readNBytes(50);
            Polling.until("it is recorded", () -> impatient.requests().size() == 1);
            assertThat(impatient.requests().get(0).outcome()).isEqualTo(OutcomeCategory.OK);
        }
    }

    private HttpRequest with(String path, String name, String value) {
        return HttpRequest.newBuilder(uri(path)).header(name, value).build();
    }

    private static FreshnessSettings rule(Mode mode) {
        return BucketViews.freshness(mode, Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ZERO);
    }

    private interface Requests {
        HttpRequest of(int number);
    }

    private List<HttpResponse<byte[]>> together(int readers, Requests requests) {
        List<CompletableFuture<HttpResponse<byte[]>>> asked = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
            asked.add(client.sendAsync(requests.of(i), BodyHandlers.ofByteArray()));
        }
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.ofByteArray());
    }

    private InputStream stream(String path) throws IOException, InterruptedException {
        return client.send(request(path), BodyHandlers.ofInputStream()).body();
    }

    private String status(String path) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = send(request(path));
        String key = path.substring(path.indexOf('/') + 1);
        assertThat(response.body()).isEqualTo(backend.bytes(key, 0, (int) ComputedBackend.size(key)));
        return response.headers().firstValue("cache-status").orElse("");
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(60)).build();
    }

    private HttpRequest range(String path, long first, long last) {
        return HttpRequest.newBuilder(uri(path))
                .header("Range", "bytes=%d-%d".formatted(first, last))
                .timeout(Duration.ofSeconds(60))
                .build();
    }

    private URI uri(String path) {
        return gateway.endpoint().resolve("/" + path);
    }

    private void awaitStored() throws InterruptedException {
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(60))
                .until(() -> cache.administration().stats().fills() == 0);
        assertThat(cache.administration().stats().fills()).isZero();
    }
}
