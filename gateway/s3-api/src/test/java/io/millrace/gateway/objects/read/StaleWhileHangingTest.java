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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Sinks;

/**
 * A backend takes requests and answers none until the test lets it: stale content is served meanwhile where it may be,
 * and only there.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class StaleWhileHangingTest {
    @TempDir
    Path folder;

    private final ComputedBackend backend = new ComputedBackend();
    private final BlockedReads reads = new BlockedReads(backend);
    private final AtomicLong ahead = new AtomicLong();
    private final Instant start = Instant.now();

    /** Stands still by itself: what takes long here is no older for that. */
    private final InstantSource clock = () -> start.plusMillis(ahead.get());

    private final ExecutorService clients = Executors.newCachedThreadPool();
    private final Sinks.Empty<Void> release = Sinks.empty();
    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder, "1GiB", clock);
        gateway = TestGateway.builder()
                .cache(cache)
                .clock(clock)
                .freshness(rule(Duration.ofMinutes(10)))
                .bucket("lenient", reads.backend(), "", "read")
                .freshness(rule(Duration.ZERO))
                .bucket("exact", reads.backend(), "", "read")
                .start();
    }

    @AfterEach
    void stop() {
        release.tryEmitEmpty();
        clients.shutdownNow();
        gateway.close();
        cache.close();
    }

    @Promise("R10")
    @Test
    void staleContentIsServedWhileTheBackendHangs() throws IOException {
        for (int i = 0; i < 10; i++) {
            warm("lenient", i + "/5000");
        }
        ahead.set(70_000);
        hold(100);

        for (int i = 0; i < 10; i++) {
            Response old = get("lenient", i + "/5000");
            assertThat(old.status()).isEqualTo(200);
            assertThat(old.bytes()).isEqualTo(backend.bytes(i + "/5000", 0, 5000));
            assertThat(Integer.parseInt(old.headers().get("age"))).isBetween(70, 80);
            assertThat(old.headers().get("cache-status")).matches("millrace; hit; ttl=-\\d+");
        }
        assertThat(head("lenient", "0/5000").headers()).containsKey("age");
    }

    @Promise("R10")
    @Test
    void newVersionIsServedAfterTheBackendAnswersAgain() throws IOException {
        warm("lenient", "a/5000");
        backend.replace("a/5000");
        ahead.set(70_000);
        hold(1);
        assertThat(get("lenient", "a/5000").headers()).containsEntry("etag", "\"v0\"");

        release.tryEmitEmpty();

        Polling.until(
                "its revalidation has ended",
                () -> "\"v1\"".equals(get("lenient", "a/5000").headers().get("etag")));
        assertThat(get("lenient", "a/5000").headers()).doesNotContainKey("age");
    }

    @Promise("R10")
    @Test
    void whoMayNotHaveStaleContentWaits() throws Exception {
        warm("lenient", "a/5000");
        warm("lenient", "b/5000");
        warm("exact", "a/5000");
        backend.replace("a/5000");
        backend.replace("b/5000");
        ahead.set(70_000);
        hold(100);
        CompletableFuture<Response> exact = later("exact", "a/5000");
        CompletableFuture<Response> maxAge = later("lenient", "a/5000", "Cache-Control: max-age=1000");
        assertThat(get("lenient", "b/5000").headers()).containsEntry("etag", "\"v0\"");
        assertThat(get("lenient", "b/5000").headers()).containsEntry("etag", "\"v0\"");

        assertThat(exact).isNotDone();
        assertThat(maxAge).isNotDone();
        release.tryEmitEmpty();

        assertThat(exact.get(60, TimeUnit.SECONDS).headers()).containsEntry("etag", "\"v1\"");
        assertThat(maxAge.get(60, TimeUnit.SECONDS).headers()).containsEntry("etag", "\"v1\"");
    }

    @Promise("R10")
    @Test
    void contentBeyondStaleIfErrorIsWaitedFor() throws Exception {
        warm("lenient", "a/5000");
        backend.replace("a/5000");
        hold(100);
        ahead.set(661_000);
        CompletableFuture<Response> late = later("lenient", "a/5000");
        Polling.until("it is asked for", () -> reads.held() == 1);

        release.tryEmitEmpty();

        assertThat(late.get(60, TimeUnit.SECONDS).headers()).containsEntry("etag", "\"v1\"");
    }

    private static FreshnessSettings rule(Duration staleIfError) {
        return new FreshnessSettings(
                Mode.TTL, Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ZERO, Duration.ZERO, staleIfError);
    }

    private void hold(int answers) {
        for (int i = 0; i < answers; i++) {
            reads.holdNext(release.asMono());
        }
    }

    private void warm(String bucket, String key) {
        Polling.until(
                "it is stored",
                () -> String.valueOf(get(bucket, key).headers().get("cache-status"))
                        .startsWith("millrace; hit"));
    }

    private CompletableFuture<Response> later(String bucket, String key, String... fields) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return get(bucket, key, fields);
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                clients);
    }

    private Response get(String bucket, String key, String... fields) throws IOException {
        return ask("GET", bucket, key, fields);
    }

    private Response head(String bucket, String key) throws IOException {
        return ask("HEAD", bucket, key);
    }

    private Response ask(String method, String bucket, String key, String... fields) throws IOException {
        String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return RawClient.ask(
                gateway.port(), "%s /%s/%s HTTP/1.1\r\nHost: a\r\n%s\r\n".formatted(method, bucket, key, more));
    }
}
