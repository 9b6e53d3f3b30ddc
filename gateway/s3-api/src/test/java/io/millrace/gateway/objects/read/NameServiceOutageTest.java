package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.backend.resilience.ResilientBackend;
import io.millrace.backend.s3.S3BackendProvider;
import io.millrace.backend.s3.S3BackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.config.Secret;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.testkit.CacheExtension;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The host name of a backend stops resolving: cached objects and other backends are served as before, cold reads fail
 * without a lookup, and all is well after the name is back. Logs the figures of docs/benchmarks.md.
 */
@ExtendWith(BufferLeakExtension.class)
class NameServiceOutageTest {
    private static final Logger log = LoggerFactory.getLogger(NameServiceOutageTest.class);
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int SIZE = 100_000;

    @RegisterExtension
    final CacheExtension cache = new CacheExtension();

    private final ExecutorService clients = Executors.newFixedThreadPool(16);
    private final SwitchableNames names = new SwitchableNames();
    private final InMemoryBackend objects = new InMemoryBackend();
    private final TestGateway server = TestGateway.over(objects);
    private final Backend named = new ResilientBackend("named", s3(), ResilienceSettings.DEFAULTS);

    @SuppressWarnings("NullAway.Init") // start sets it
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        gateway = TestGateway.builder()
                .cache(cache.get())
                .freshness(BucketViews.freshness(Mode.IMMUTABLE, Duration.ZERO, Duration.ZERO, Duration.ZERO))
                .bucket("named", named)
                .bucket("other", objects)
                .start();
    }

    @AfterEach
    void stop() {
        clients.shutdownNow();
        gateway.close();
        named.close().block();
        server.close();
    }

    @Test
    void onlyColdReadsFailWithoutHostName() throws Exception {
        store("named", "warm");
        store("other", "warm");
        assertWhole(read("named", "warm"), "warm");
        assertWhole(read("other", "warm"), "warm");
        awaitStored();

        names.remove();
        Polling.until("the breaker is open", this::isColdReadRefusedWithoutLookup);
        long start = System.nanoTime();
        long before = names.lookups();
        double slowest = 0;
        int reads = 0;
        while (System.nanoTime() - start < Duration.ofSeconds(5).toNanos()) {
            assertWhole(read("named", "warm"), "warm");
            assertWhole(read("other", "warm"), "warm");
            assertThat(coldReads("other", "cold-" + reads, 4)).allMatch(read -> read.status() == 200);
            for (ColdRead read : coldReads("named", "during", 16)) {
                assertUnavailable(read);
                slowest = Math.max(slowest, read.millis());
                reads++;
            }
        }
        long lookups = names.lookups() - before;
        assertThat(lookups)
                .as("the breaker asks once a second")
                .isLessThanOrEqualTo(1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));

        names.restore();
        long back = System.nanoTime();
        Polling.until(
                "all reads succeed again",
                () -> coldReads("named", "after-" + System.nanoTime(), 64).stream()
                        .allMatch(read -> read.status() == 200));
        log.info(
                "Name gone: {} lookups for {} cold reads in 5 s, 503 after {} ms at most; 64 of 64 succeed {} ms after"
                        + " it is back",
                lookups,
                reads,
                Math.round(slowest),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - back));
    }

    private boolean isColdReadRefusedWithoutLookup() {
        long before = names.lookups();
        return coldReads("named", "during", 16).stream().allMatch(read -> read.status() == 503)
                && names.lookups() == before;
    }

    /** A response and how long it took. */
    private record ColdRead(int status, String text, double millis) {}

    private List<ColdRead> coldReads(String bucket, String name, int count) {
        List<CompletableFuture<ColdRead>> reads = IntStream.range(0, count)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> coldRead(bucket, name + "/" + i), clients))
                .toList();
        return reads.stream().map(CompletableFuture::join).toList();
    }

    private ColdRead coldRead(String bucket, String key) {
        store(bucket, key);
        long start = System.nanoTime();
        try {
            Response response = read(bucket, key);
            return new ColdRead(response.status(), response.text(), (System.nanoTime() - start) / 1e6);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertUnavailable(ColdRead read) {
        assertThat(read.status()).isEqualTo(503);
        assertThat(read.text()).contains("<Code>ServiceUnavailable</Code>").doesNotContain("store.test");
    }

    private Response read(String bucket, String key) throws IOException {
        return SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY)
                .get("/" + bucket + "/" + key);
    }

    private static void assertWhole(Response response, String key) {
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.bytes()).isEqualTo(GeneratedBytes.of(key).first(SIZE));
    }

    private void store(String bucket, String key) {
        objects.store(
                new ObjectRef(new BucketName(bucket), new ObjectKey(key)),
                GeneratedBytes.of(key).first(SIZE),
                HeaderList.EMPTY);
    }

    private void awaitStored() {
        Polling.until("both are stored", () -> hit("named") && hit("other"));
    }

    private boolean hit(String bucket) throws IOException {
        return String.valueOf(read(bucket, "warm").headers().get("cache-status"))
                .contains("hit");
    }

    /** Returns an S3 backend each of whose requests opens a connection, and so needs the name. */
    private Backend s3() {
        S3BackendSettings settings = new S3BackendSettings(
                Optional.of(URI.create("http://store.test:" + server.port())),
                "us-east-1",
                Optional.of(true),
                Optional.of(TestGateway.ACCESS_KEY),
                Optional.of(Secret.of(TestGateway.SECRET_KEY)),
                Optional.empty(),
                false,
                new ConnectionSettings(64, BackendTlsSettings.DEFAULTS, Optional.empty(), SOON, SOON, SOON),
                Optional.empty(),
                false);
        return S3BackendProvider.create(
                "named", settings, client -> client.resolver(names).keepAlive(false), (head, headers) -> head);
    }
}
