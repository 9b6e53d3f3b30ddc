package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.TestGateway;
import io.millrace.gateway.write.BlockedReads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Sinks;

/** Stale content is served during its revalidation for as long as the bucket allows, and no longer. */
@ExtendWith(BufferLeakExtension.class)
class StaleWhileRevalidateTest {
    @TempDir
    Path folder;

    private final ComputedBackend backend = new ComputedBackend();
    private final BlockedReads reads = new BlockedReads(backend);
    private final AtomicLong ahead = new AtomicLong();
    private final Instant start = Instant.now();

    /** Stands still by itself: what takes long here is no older for that. */
    private final InstantSource clock = () -> start.plusMillis(ahead.get());

    private final Sinks.Empty<Void> release = Sinks.empty();
    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder, "1GiB", clock);
        gateway = TestGateway.builder()
                .cache(cache)
                .clock(clock)
                .freshness(new FreshnessSettings(
                        Mode.TTL,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(5),
                        Duration.ZERO,
                        Duration.ofSeconds(30),
                        Duration.ofMinutes(10)))
                .bucket("behind", reads.backend(), "", "read")
                .start();
    }

    @AfterEach
    void stop() {
        release.tryEmitEmpty();
        gateway.close();
        cache.close();
    }

    @Promise("R13")
    @Test
    void servesStaleWithAgeDuringOneRevalidation() throws Exception {
        warm("a/5000");
        backend.replace("a/5000");
        ahead.set(70_000);
        reads.holdNext(release.asMono());

        for (int i = 0; i < 20; i++) {
            Response old = get("a/5000");
            assertThat(old.headers()).containsEntry("etag", "\"v0\"");
            assertThat(Integer.parseInt(old.headers().get("age"))).isBetween(70, 80);
            assertThat(old.headers().get("cache-status")).matches("millrace; hit; ttl=-\\d+");
        }
        Polling.until("its revalidation is requested", () -> backend.asked().size() > 1);
        assertThat(backend.asked()).containsExactly("GET a/5000", "HEAD a/5000");
    }

    @Promise("R13")
    @Test
    void everyKindOfStaleResponseHasAnAge() throws Exception {
        warm("a/5000");
        ahead.set(70_000);
        reads.holdNext(release.asMono());

        List<Response> old = List.of(
                get("a/5000"),
                get("a/5000", "Range: bytes=5-9"),
                get("a/5000", "If-None-Match: \"v0\""),
                RawClient.ask(gateway.port(), "HEAD /behind/a/5000 HTTP/1.1\r\nHost: a\r\n\r\n"));

        assertThat(old).extracting(Response::status).containsExactly(200, 206, 304, 200);
        assertThat(old).allSatisfy(response -> {
            assertThat(Integer.parseInt(response.headers().get("age"))).isBetween(70, 80);
            assertThat(response.headers().get("cache-status")).matches("millrace; hit; ttl=-\\d+");
        });
    }

    @Promise("R13")
    @Test
    void servesTheRevalidatedVersionNext() throws Exception {
        warm("a/5000");
        backend.replace("a/5000");
        ahead.set(70_000);

        assertThat(get("a/5000").headers()).containsEntry("etag", "\"v0\"");
        await(() -> "\"v1\"".equals(get("a/5000").headers().get("etag")));

        Response now = get("a/5000");
        assertThat(now.bytes()).isEqualTo(backend.bytes("a/5000", 0, 5000));
        assertThat(now.headers()).doesNotContainKey("age");
        assertThat(backend.asked().stream().filter("HEAD a/5000"::equals)).hasSize(1);
    }

    @Promise("R13")
    @Test
    void beyondTheLimitAReaderWaits() throws Exception {
        warm("a/5000");
        backend.replace("a/5000");
        ahead.set(90_100);

        Response now = get("a/5000");
        assertThat(now.headers()).containsEntry("etag", "\"v1\"");
        assertThat(now.headers().get("cache-status")).startsWith("millrace; fwd=stale");
    }

    @Test
    void servesStaleBeyondTheLimitOnlyDuringBackendFailure() throws Exception {
        warm("a/5000");
        backend.refuse(Integer.MAX_VALUE);
        ahead.set(70_000);
        assertThat(get("a/5000").headers()).containsKey("age");
        ahead.set(120_000);

        Response old = get("a/5000");
        assertThat(old.status()).isEqualTo(200);
        assertThat(Integer.parseInt(old.headers().get("age"))).isBetween(120, 130);
        ahead.set(661_000);
        assertThat(get("a/5000").status()).isEqualTo(503);
    }

    @Promise("R13")
    @Test
    void requestWithMaxAgeWaits() throws Exception {
        warm("a/5000");
        backend.replace("a/5000");
        ahead.set(70_000);

        for (String wish : List.of("max-age=1000", "no-cache")) {
            Response now = get("a/5000", "Cache-Control: " + wish);
            assertThat(now.headers()).containsEntry("etag", "\"v1\"").doesNotContainKey("age");
        }
        ahead.addAndGet(70_000);
        assertThat(get("a/5000", "Cache-Control: only-if-cached").status()).isEqualTo(504);
    }

    @Test
    void contradictingConditionWaits() throws Exception {
        warm("a/5000");
        backend.replace("a/5000");
        ahead.set(70_000);

        assertThat(get("a/5000", "If-Match: \"v1\"").status()).isEqualTo(200);
    }

    @Promise("R13")
    @Test
    void partlyCachedObjectIsRevalidatedFirst() throws Exception {
        String key = "a/" + 5 * (1 << 20);
        assertThat(get(key, "Range: bytes=0-10").status()).isEqualTo(206);
        awaitStored();
        backend.replace(key);
        ahead.set(70_000);

        Response whole = get(key);

        assertThat(whole.headers()).containsEntry("etag", "\"v1\"");
        assertThat(whole.headers().get("cache-status")).startsWith("millrace; fwd=stale");
        assertThat(whole.bytes()).isEqualTo(backend.bytes(key, 0, 5 << 20));
    }

    @Promise("R13")
    @Test
    void boundsConcurrentRevalidations() throws Exception {
        int keys = 3 * BackgroundRefresher.MAX_PER_BACKEND;
        for (int i = 0; i < keys; i++) {
            assertThat(get(i + "/100").status()).isEqualTo(200);
        }
        awaitStored();
        for (int i = 0; i < keys; i++) {
            reads.holdNext(release.asMono());
        }
        ahead.set(70_000);

        for (int i = 0; i < keys; i++) {
            assertThat(get(i + "/100").headers()).containsKey("age");
        }

        assertThat(reads.held()).isLessThanOrEqualTo(BackgroundRefresher.MAX_PER_BACKEND);
        await(() -> reads.held() == BackgroundRefresher.MAX_PER_BACKEND);
    }

    @Promise("R4")
    @Test
    void spreadsRevalidationsOfObjectsFetchedTogether() throws Exception {
        for (int i = 0; i < 200; i++) {
            warm(i + "/100");
        }
        long began = ahead.get();
        ahead.set(began + 48_000);
        assertThat(old(200)).isZero();
        ahead.set(began + 57_000);
        assertThat(old(200)).isBetween(40L, 160L);
    }

    private long old(int keys) throws IOException {
        long old = 0;
        for (int i = 0; i < keys; i++) {
            old += get(i + "/100").headers().containsKey("age") ? 1 : 0;
        }
        return old;
    }

    private void warm(String key) throws Exception {
        assertThat(get(key).status()).isEqualTo(200);
        awaitStored();
    }

    private Response get(String key, String... fields) throws IOException {
        String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return RawClient.ask(gateway.port(), "GET /behind/%s HTTP/1.1\r\nHost: a\r\n%s\r\n".formatted(key, more));
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(Condition condition) throws Exception {
        Awaitility.await()
                .pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(60))
                .until(condition::holds);
        assertThat(condition.holds()).isTrue();
    }

    private void awaitStored() throws InterruptedException {
        Awaitility.await()
                .pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(60))
                .until(() -> cache.administration().stats().fills() == 0);
        assertThat(cache.administration().stats().fills()).isZero();
    }
}
