package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.auth.PayloadType;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;

/** The cache status of responses is correct, and requests' cache directives are obeyed. */
@ExtendWith(BufferLeakExtension.class)
class CacheStatusTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private final ComputedBackend backend = new ComputedBackend();
    private final InMemoryBackend objects = new InMemoryBackend();
    private final AtomicLong ahead = new AtomicLong();
    private final Instant begin = Instant.now();

    /** Stands still by itself: what takes long here is no older for that. */
    private final InstantSource clock = () -> begin.plusMillis(ahead.get());

    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder, "1GiB", clock);
        objects.createBucket(new BucketName("empty"));
        gateway = TestGateway.builder()
                .cache(cache)
                .clock(clock)
                .freshness(rule(Mode.TTL, Duration.ofMinutes(10)))
                .bucket("ttl", backend, "", "read")
                .bucket("closed", backend, "", "none")
                .bucket("empty", objects, "", "read")
                .freshness(rule(Mode.IMMUTABLE, Duration.ZERO))
                .bucket("immutable", backend, "", "read")
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @ParameterizedTest
    @CsvSource({
        "403, /closed/key/10",
        "403, /elsewhere/key/10",
        "400, /ttl/key/10%zz",
        "400, /ttl/key/10?response-content-type=text/html",
        "400, /ttl/key/10?partNumber=0",
        "403, /empty/absent"
    })
    void earlyRefusalHasNoCacheStatus(int status, String path) throws Exception {
        Response response = get(path);

        assertThat(response.status()).isEqualTo(status);
        assertThat(response.headers()).doesNotContainKeys("cache-status", "age");
        assertThat(requests(1)).extracting(RequestRecord::cache).containsExactly(Optional.empty());
    }

    @Test
    void meteredResultMatchesTheCacheStatusHeader() throws Exception {
        get("/ttl/a/5000");
        awaitStored();
        get("/ttl/a/5000");
        ahead.set(61_000);
        get("/ttl/a/5000");
        ahead.set(130_000);
        backend.refuse(Integer.MAX_VALUE);
        get("/ttl/a/5000");
        backend.refuse(0);
        get("/ttl/a/5000", "Cache-Control: no-store");

        // Each is told of when its connection is done with it, which may be in another order.
        assertThat(requests(5))
                .extracting(RequestRecord::cache)
                .containsExactlyInAnyOrder(
                        Optional.of(CacheResult.MISS),
                        Optional.of(CacheResult.HIT),
                        Optional.of(CacheResult.STALE),
                        Optional.of(CacheResult.STALE),
                        Optional.of(CacheResult.BYPASS));
    }

    @Promise("R10")
    @Test
    void staleResponsesHaveAnAgeHeader() throws Exception {
        get("/ttl/old/5000");
        awaitStored();
        assertThat(get("/ttl/old/5000").headers()).doesNotContainKey("age");
        backend.refuse(Integer.MAX_VALUE);
        ahead.set(60_100);
        assertThat(get("/ttl/old/5000").headers().get("cache-status")).startsWith("millrace; hit; ttl=-");
        ahead.set(90_000);

        List<Response> stale = List.of(
                get("/ttl/old/5000"),
                get("/ttl/old/5000", "Range: bytes=5-9"),
                get("/ttl/old/5000", "If-None-Match: \"v0\""),
                RawClient.ask(gateway.port(), "HEAD /ttl/old/5000 HTTP/1.1\r\nHost: a\r\n\r\n"));

        assertThat(stale).extracting(Response::status).containsExactly(200, 206, 304, 200);
        assertThat(stale).allSatisfy(response -> {
            assertThat(Integer.parseInt(response.headers().get("age"))).isBetween(89, 120);
            assertThat(response.headers().get("cache-status")).startsWith("millrace; hit; ttl=-");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0-0", "0-4095", "777-1048575", "1048576-1048577", "1048000-3000000", "-1", "-100000", "3000000-"
            })
    void rangeOfWhatCannotBePinnedCostsOneRequest(String range) throws IOException {
        backend.weaken();
        String key = "weak/" + (3 * MIB + 5);
        long size = ComputedBackend.size(key);

        Response response = get("/ttl/" + key, "Range: bytes=" + range);

        String[] ends = range.split("-", 2);
        long first = ends[0].isEmpty() ? size - Long.parseLong(ends[1]) : Long.parseLong(ends[0]);
        long last = ends[0].isEmpty() || ends[1].isEmpty() ? size - 1 : Long.parseLong(ends[1]);
        assertThat(response.status()).isEqualTo(206);
        assertThat(response.headers().get("content-range")).isEqualTo("bytes %d-%d/%d".formatted(first, last, size));
        assertThat(response.bytes()).isEqualTo(backend.bytes(key, first, (int) (last - first + 1)));
        assertThat(response.headers().get("cache-status")).isEqualTo("millrace; fwd=bypass");
        assertThat(backend.asked()).hasSize(1);
    }

    @Promise("R12")
    @ParameterizedTest
    @ValueSource(
            strings = {"no-cache", "max-age=0", "No-Cache, no-transform", "max-age=\"0\"", "max-age=60, max-age=0"})
    void readerThatRevalidatesGetsTheBackendsError(String wish) throws Exception {
        for (String bucket : List.of("ttl", "immutable")) {
            String key = bucket + "-news/5000";
            get("/%s/%s".formatted(bucket, key));
            awaitStored();
            backend.replace(key);
            assertThat(get("/%s/%s".formatted(bucket, key)).headers()).containsEntry("etag", "\"v0\"");

            Response response = get("/%s/%s".formatted(bucket, key), "Cache-Control: " + wish);

            assertThat(response.headers()).containsEntry("etag", "\"v1\"");
            assertThat(response.headers().get("cache-status")).startsWith("millrace; fwd=stale");
            assertThat(response.bytes()).isEqualTo(backend.bytes(key, 0, 5000));
        }
    }

    @Test
    void noCacheRequestIsNotServedStale() throws Exception {
        get("/ttl/down/5000");
        awaitStored();
        backend.refuse(Integer.MAX_VALUE);
        ahead.set(90_000);

        assertThat(get("/ttl/down/5000").status()).isEqualTo(200);
        assertThat(get("/ttl/down/5000", "Cache-Control: no-cache").status()).isEqualTo(503);
        assertThat(get("/ttl/down/5000", "Cache-Control: max-age=300").status()).isEqualTo(503);
    }

    @Promise("R12")
    @Test
    void honoursMaxAgeOfARequest() throws Exception {
        get("/ttl/aged/5000");
        awaitStored();
        ahead.set(20_000);

        assertThat(get("/ttl/aged/5000", "Cache-Control: max-age=30").headers().get("cache-status"))
                .startsWith("millrace; hit");
        assertThat(get("/ttl/aged/5000", "Cache-Control: max-age=10").headers().get("cache-status"))
                .startsWith("millrace; fwd=stale");
        assertThat(get("/ttl/aged/5000", "Cache-Control: max-age=soon")
                        .headers()
                        .get("cache-status"))
                .startsWith("millrace; hit");
    }

    @Promise("R12")
    @Test
    void onlyIfCachedNeverSendsABackendRequest() throws Exception {
        String wish = "Cache-Control: only-if-cached";
        String key = "/ttl/only/" + 3 * MIB;
        assertThat(get(key, wish).status()).isEqualTo(504);
        get(key, "Range: bytes=0-10");
        awaitStored();
        int asked = backend.asked().size();

        assertThat(get(key, wish, "Range: bytes=5-9").status()).isEqualTo(206);
        assertThat(get(key, wish, "Range: bytes=2000000-2000001").status()).isEqualTo(504);
        assertThat(get(key, wish).status()).isEqualTo(504);
        assertThat(get(key + "?partNumber=1", wish).status()).isEqualTo(504);
        assertThat(get(key, wish, "If-Match: \"v7\"").status()).isEqualTo(412);
        assertThat(get(key, wish + ", no-cache").status()).isEqualTo(504);
        assertThat(get(key, wish + ", no-store").status()).isEqualTo(504);
        ahead.set(61_000);
        assertThat(get(key, wish, "Range: bytes=5-9").status()).isEqualTo(504);
        assertThat(backend.asked()).hasSize(asked);
    }

    /** A 504 would say that it is not here, which nobody has looked at. */
    @Test
    void onlyIfCachedIsThrottledDuringTooManyScans() throws Exception {
        String wish = "Cache-Control: only-if-cached";
        String key = "large/" + (1L << 50);
        get("/ttl/" + key, "Range: bytes=0-10");
        ObjectId id = ObjectId.current("backend-0", new ObjectRef(new BucketName("ttl"), new ObjectKey(key)));
        ObjectMetadata head = cache.reader().find(id).blockOptional().orElseThrow();
        List<Disposable> looks = Stream.generate(
                        () -> cache.reader().countResidentBytes(head).subscribe())
                .limit(64)
                .toList();

        Response response = get("/ttl/" + key, wish);
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.text()).contains("SlowDown");
        looks.forEach(Disposable::dispose);

        await().pollInterval(Duration.ofMillis(100))
                .atMost(Duration.ofSeconds(60))
                .until(() -> get("/ttl/" + key, wish).status() != 503);
        assertThat(get("/ttl/" + key, wish).status()).isEqualTo(504);
    }

    @Promise("R12")
    @Test
    void noStoreResponseIsNotCached() throws Exception {
        String key = "/ttl/unstored/5000";
        assertThat(get(key, "Cache-Control: no-store").headers()).containsEntry("cache-status", "millrace; fwd=bypass");

        assertThat(get(key).headers().get("cache-status")).startsWith("millrace; fwd=miss");
    }

    @Test
    void explainsTheReadOnRequest() throws Exception {
        String wish = "x-millrace-explain: 1";
        String key = "/ttl/explained/" + 3 * MIB;
        assertThat(get(key, wish, "Range: bytes=0-10").headers())
                .containsEntry("x-millrace-explain", "rule=ttl 60s; decision=miss; age=0; from=backend");
        awaitStored();
        ahead.set(20_000);
        assertThat(get(key, wish, "Range: bytes=5-9").headers().get("x-millrace-explain"))
                .matches("rule=ttl 60s; decision=hit; age=2\\d; from=cache");
        assertThat(get(key, wish).headers().get("x-millrace-explain"))
                .matches("rule=ttl 60s; decision=partial; age=2\\d; from=backend");
        awaitStored();
        ahead.set(90_000);
        assertThat(get(key, wish).headers())
                .containsEntry("x-millrace-explain", "rule=ttl 60s; decision=revalidated; age=0; from=cache");
        backend.refuse(Integer.MAX_VALUE);
        ahead.set(180_000);
        assertThat(get(key, wish).headers().get("x-millrace-explain"))
                .matches("rule=ttl 60s; decision=stale; age=9\\d; from=cache");
        backend.refuse(0);
        assertThat(get(key, wish, "Cache-Control: no-store").headers())
                .containsEntry("x-millrace-explain", "rule=ttl 60s; decision=bypass; from=backend");
        assertThat(get(key).headers()).doesNotContainKey("x-millrace-explain");
        assertThat(get("/closed/key/10", wish).headers()).doesNotContainKey("x-millrace-explain");
    }

    @Test
    void backendsNameIsShownOnlyToAuthenticatedCallers() throws Exception {
        String wish = "x-millrace-explain: 1";
        String key = "/ttl/explained/5000";
        get(key);
        awaitStored();

        assertThat(get(key, wish).headers().get("x-millrace-explain")).doesNotContain("backend");
        assertThat(get(key, signed(key, wish)).headers().get("x-millrace-explain"))
                .matches("rule=ttl 60s; decision=hit; age=\\d; from=cache; backend=backend-0");
    }

    private String[] signed(String path, String... fields) {
        List<String> all = new ArrayList<>(List.of(fields));
        URI uri = URI.create("http://a" + path);
        gateway.signer()
                .sign(uri, "GET", Map.of(), new PayloadType.Unsigned(), Instant.now())
                .forEach((name, value) -> all.add(name + ": " + value));
        return all.toArray(String[]::new);
    }

    /** A client may have its answer before that is noted. */
    private List<RequestRecord> requests(int count) throws InterruptedException {
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(60))
                .until(() -> gateway.requests().size() >= count);
        return gateway.requests();
    }

    private Response get(String path, String... fields) throws IOException {
        String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return RawClient.ask(gateway.port(), "GET %s HTTP/1.1\r\nHost: a\r\n%s\r\n".formatted(path, more));
    }

    private static FreshnessSettings rule(Mode mode, Duration staleIfError) {
        return BucketViews.freshness(mode, Duration.ofSeconds(60), Duration.ofSeconds(5), staleIfError);
    }

    private void awaitStored() throws InterruptedException {
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(60))
                .until(() -> cache.administration().stats().fills() == 0);
        assertThat(cache.administration().stats().fills()).isZero();
    }
}
