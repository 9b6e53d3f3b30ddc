package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.CacheRule;
import io.millrace.gateway.objects.bucket.KeyPattern;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * HEAD requests with a range start fetches in buckets that allow it, and name in the response what they have started.
 */
@ExtendWith(BufferLeakExtension.class)
class HeadPrefetcherTest {
    private static final String HEADER = "x-millrace-prefetch";
    private static final int BLOCK = 1 << 20;
    private static final String KEY = "a/5000000";

    @TempDir
    Path folder;

    private final ComputedBackend computed = new ComputedBackend();
    private final GatedBackend backend = new GatedBackend(computed);
    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        gateway = TestGateway.builder()
                .cache(cache)
                .bucket("plain", backend, "", "read")
                .caching(new CacheRule(KeyPattern.parse("tmp/*"), false, Optional.empty(), Optional.empty()))
                .prefetchOnHead()
                .bucket("ahead", backend, "", "read,list")
                .bucket("closed", backend)
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @Test
    void firstByteStandsForTheWholeObject() throws Exception {
        Response head = head("/ahead/" + KEY, "Range: bytes=0-0");

        assertThat(head.status()).isEqualTo(206);
        assertThat(head.headers()).containsEntry("content-range", "bytes 0-0/5000000");
        assertThat(head.headers()).containsEntry(HEADER, "bytes=0-4999999");
        awaitResident(KEY, 5_000_000);
        long before = computed.gets();
        Response read = get("/ahead/" + KEY);
        assertThat(read.headers().get("cache-status")).startsWith("millrace; hit");
        assertThat(read.bytes()).isEqualTo(computed.bytes(KEY, 0, 5_000_000));
        assertThat(computed.gets()).isEqualTo(before);
    }

    @Test
    void anyOtherRangeIsFetchedAlone() throws Exception {
        Response head = head("/ahead/" + KEY, "Range: bytes=%d-%d".formatted(BLOCK, 2 * BLOCK - 1));

        assertThat(head.headers()).containsEntry(HEADER, "bytes=1048576-2097151");
        awaitResident(KEY, BLOCK);
        assertThat(computed.asked()).containsExactly("HEAD " + KEY, "GET 1048576-2097151 " + KEY);
        Response read = get("/ahead/" + KEY, "Range: bytes=1048576-2097151");
        assertThat(read.headers().get("cache-status")).startsWith("millrace; hit");
        assertThat(read.bytes()).isEqualTo(computed.bytes(KEY, BLOCK, BLOCK));
        assertThat(head("/ahead/" + KEY, "Range: bytes=-1").headers()).containsEntry(HEADER, "bytes=4999999-4999999");
        assertThat(head("/ahead/" + KEY, "Range: bytes=4999998-6000000").headers())
                .containsEntry(HEADER, "bytes=4999998-4999999");
    }

    @Test
    void headsOfKnownObjectsStartFetchesToo() throws Exception {
        head("/ahead/" + KEY);
        Polling.until(
                "the first is recorded before the second",
                () -> gateway.requests().size() == 1);
        assertThat(head("/ahead/" + KEY).headers()).doesNotContainKey(HEADER);
        Polling.until("both are recorded", () -> gateway.requests().size() == 2);
        assertThat(gateway.requests().get(1).fastPath()).isTrue();

        assertThat(head("/ahead/" + KEY, "Range: bytes=0-0").headers()).containsEntry(HEADER, "bytes=0-4999999");

        awaitResident(KEY, 5_000_000);
        assertThat(computed.asked())
                .filteredOn(asked -> asked.startsWith("HEAD"))
                .hasSize(1);
    }

    /** Past the cache the backend of this test answers, which takes no range in a HEAD. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "206 | /plain/a/5000000 | Range: bytes=0-0",
                "200 | /ahead/a/5000000 | Accept: */*",
                "200 | /ahead/tmp/5000000 | Range: bytes=0-0",
                "206 | /ahead/a/5000000?partNumber=1 | Accept: */*",
                "200 | /ahead/a/5000000 | Range: bytes=0-0, If-Range: \"other\"",
                "200 | /ahead/a/5000000 | Range: bytes=0-0, Cache-Control: no-store",
                "206 | /ahead/a/5000000 | Range: bytes=0-0, Cache-Control: only-if-cached",
                "304 | /ahead/a/5000000 | Range: bytes=0-0, If-None-Match: \"v0\"",
                "412 | /ahead/a/5000000 | Range: bytes=0-0, If-Match: \"other\"",
                "416 | /ahead/a/5000000 | Range: bytes=5000000-",
                "416 | /ahead/a/0 | Range: bytes=0-0",
                "404 | /ahead/absent/5000000 | Range: bytes=0-0",
                "403 | /closed/a/5000000 | Range: bytes=0-0"
            })
    void nothingElseStartsFetches(int status, String path, String fields) throws Exception {
        head("/ahead/" + KEY);

        Response response = head(path, fields.split(", "));

        assertThat(response.status()).isEqualTo(status);
        assertThat(response.headers()).doesNotContainKey(HEADER);
        Polling.holdsFor(Duration.ofMillis(100), () -> computed.gets() == 0);
    }

    @Test
    void withoutCacheNothingIsStarted() throws Exception {
        try (TestGateway passing = TestGateway.builder()
                .prefetchOnHead()
                .bucket("ahead", backend, "", "read")
                .start()) {
            Response response = ask(passing, "HEAD", "/ahead/" + KEY, "Range: bytes=0-0");

            assertThat(response.status()).isEqualTo(200);
            assertThat(response.headers()).doesNotContainKey(HEADER);
        }
    }

    @Test
    void tooManyFetchesAreRefusedAndReadersAreNot() throws Exception {
        for (int i = 0; i < HeadPrefetcher.MAX_PER_BACKEND; i++) {
            assertThat(head("/ahead/gated/" + i + "/100", "Range: bytes=0-0").headers())
                    .containsEntry(HEADER, "bytes=0-99");
        }

        assertThat(head("/ahead/a/100", "Range: bytes=0-0").headers()).containsEntry(HEADER, "busy");
        assertThat(head("/ahead/gated/0/100", "Range: bytes=0-0").headers())
                .as("it is under way")
                .containsEntry(HEADER, "bytes=0-99");
        assertThat(get("/ahead/b/100").bytes()).isEqualTo(computed.bytes("b/100", 0, 100));

        backend.gate.tryEmitEmpty();
        for (int i = 0; i < HeadPrefetcher.MAX_PER_BACKEND; i++) {
            awaitResident("gated/" + i + "/100", 100);
        }
        Polling.until(
                "a fetch may be started again",
                () -> "bytes=0-99"
                        .equals(head("/ahead/a/100", "Range: bytes=0-0")
                                .headers()
                                .get(HEADER)));
        awaitResident("a/100", 100);
    }

    /** Clients repeat such HEADs as often as they like, and a fetch may take long. */
    @Test
    void onlyWhoBeganAFetchIsKeptUntilItsEnd() throws Exception {
        ObjectRef object = new ObjectRef(new BucketName("ahead"), new ObjectKey("gated/a/100"));
        head("/ahead/gated/a/100");
        Polling.until(
                "the object is known",
                () -> cache.reader()
                        .find(ObjectId.current("backend-1", object))
                        .blockOptional()
                        .isPresent());
        ObjectMetadata known = Objects.requireNonNull(
                cache.reader().find(ObjectId.current("backend-1", object)).block());
        HeadPrefetcher prefetches =
                new HeadPrefetcher(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
        List<Integer> told = new CopyOnWriteArrayList<>();

        for (int i = 0; i < 100; i++) {
            int number = i;
            assertThat(prefetches.start(
                            BucketViews.of("ahead", backend, "ahead", ""),
                            ReadRequest.of(object),
                            known,
                            new ByteRange(0, 99),
                            TierRequest.NONE,
                            () -> told.add(number)))
                    .contains(new ByteRange(0, 99));
        }
        backend.gate.tryEmitError(new BackendException(FailureKind.ACCESS_DENIED, "told to refuse"));

        Polling.until("the failure is told", () -> !told.isEmpty());
        assertThat(told).containsExactly(0);
    }

    private void awaitResident(String key, long bytes) {
        ObjectRef object = new ObjectRef(new BucketName("ahead"), new ObjectKey(key));
        Polling.until(
                key + " is in the cache",
                () -> cache.reader()
                        .find(ObjectId.current("backend-1", object))
                        .blockOptional()
                        .filter(known -> cache.inventory().residentBytes(known) == bytes)
                        .isPresent());
    }

    private Response head(String path, String... fields) throws IOException {
        return ask(gateway, "HEAD", path, fields);
    }

    private Response get(String path, String... fields) throws IOException {
        return ask(gateway, "GET", path, fields);
    }

    private static Response ask(TestGateway gateway, String method, String path, String... fields) throws IOException {
        String lines = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return RawClient.ask(gateway.port(), method + " " + path + " HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n");
    }

    /**
     * A backend that lacks the keys below {@code absent/}, and opens those below {@code gated/} when its gate is open.
     */
    private static final class GatedBackend extends PassingBackend {
        private final Sinks.Empty<Void> gate = Sinks.empty();

        private GatedBackend(ComputedBackend inner) {
            super(inner);
        }

        @Override
        public Mono<HeadResult> head(ReadRequest request) {
            return isBelow("absent/", request)
                    ? Mono.error(new BackendException(FailureKind.NO_SUCH_KEY, "told to lack it"))
                    : super.head(request);
        }

        @Override
        public Mono<ObjectContent> open(ReadRequest request) {
            return isBelow("gated/", request) ? gate.asMono().then(super.open(request)) : super.open(request);
        }

        private static boolean isBelow(String prefix, ReadRequest request) {
            return request.object().key().value().startsWith(prefix);
        }
    }
}
