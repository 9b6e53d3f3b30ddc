package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.BlockCache;
import io.millrace.cache.fill.UncacheableObjectException;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.config.DataSize;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.CacheRule;
import io.millrace.gateway.objects.bucket.KeyPattern;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** Objects excluded by a cache rule are never stored on the disks, but are served. */
@ExtendWith(BufferLeakExtension.class)
class CacheRulesTest {
    private static final List<CacheRule> RULES = List.of(
            rule("tmp/*", false, Optional.empty(), Optional.empty()),
            rule("log/*", true, Optional.of("1KiB"), Optional.of("3MiB")));

    @TempDir
    Path folder;

    private final ComputedBackend backend = new ComputedBackend();
    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        gateway = TestGateway.builder()
                .cache(cache)
                .caching(RULES.toArray(CacheRule[]::new))
                .bucket("ruled", backend, "", "read")
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @Test
    void uncachedKeysAreFetchedOnEveryRead() throws Exception {
        for (int i = 1; i <= 2; i++) {
            Response response = get("/ruled/tmp/a/5000");

            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).hasSize(5000);
            assertThat(response.headers().get("cache-status")).contains("fwd=bypass");
            assertThat(backend.gets()).isEqualTo(i);
        }
        assertThat(cache.administration().stats().records()).isZero();
        assertThat(get("/ruled/tmp/a/5000", "Cache-Control: only-if-cached").status())
                .isEqualTo(504);
        assertThat(backend.gets()).isEqualTo(2);
    }

    @Test
    void sizeRulesHoldForEveryKindOfRead() throws Exception {
        for (String key : new String[] {"log/large/5000000", "log/small/100"}) {
            get("/ruled/" + key);
            get("/ruled/" + key, "Range: bytes=10-19");
            get("/ruled/" + key, "If-None-Match: \"other\"");
            assertThat(RawClient.ask(gateway.port(), "HEAD /ruled/" + key + " HTTP/1.1\r\nHost: a\r\n\r\n")
                            .status())
                    .isEqualTo(200);
            long before = backend.gets();
            Response response = get("/ruled/" + key);

            assertThat(response.status()).isEqualTo(200);
            assertThat(backend.gets()).isEqualTo(before + 1);
        }
        for (String key : new String[] {"log/large/5000000", "log/small/100"}) {
            ObjectRef object = new ObjectRef(new BucketName("ruled"), new ObjectKey(key));
            assertThat(cache.reader()
                            .find(ObjectId.current("backend-0", object))
                            .blockOptional())
                    .as("what is known of %s", key)
                    .hasValueSatisfying(head ->
                            assertThat(cache.inventory().residentBytes(head)).isZero());
        }
    }

    @Test
    void prefetchesOfItFailAndSayWhy() {
        BucketView view = BucketViews.of("ruled", backend, "ruled", "", RULES, BucketViews.FRESHNESS);
        ObjectPrefetcher ahead = new ObjectPrefetcher(
                cache.reader(), cache.prefetcher(), ObjectSourceFactory.BACKENDS, InstantSource.system());

        for (String key : new String[] {"tmp/a/5000", "log/large/5000000"}) {
            ObjectRef object = new ObjectRef(new BucketName("ruled"), new ObjectKey(key));
            assertThatThrownBy(() -> ahead.prefetch(
                                    view,
                                    object,
                                    Optional.empty(),
                                    Optional.empty(),
                                    8 << 20,
                                    bytes -> Mono.empty(),
                                    (bytes, brought) -> {})
                            .block())
                    .isInstanceOf(UncacheableObjectException.class)
                    .hasMessageContaining("not cached, by a rule of its bucket");
        }
    }

    @Test
    void cachesKeysThatMatchTheRules() throws Exception {
        for (String key : new String[] {"log/middle/5000", "else/5000000"}) {
            get("/ruled/" + key);
            ObjectRef object = new ObjectRef(new BucketName("ruled"), new ObjectKey(key));
            Polling.until(
                    "it is stored",
                    () -> cache.reader()
                            .find(ObjectId.current("backend-0", object))
                            .blockOptional()
                            .filter(known -> cache.inventory().residentBytes(known) == known.size())
                            .isPresent());
            long before = backend.gets();

            assertThat(get("/ruled/" + key).headers().get("cache-status")).contains("hit");
            assertThat(backend.gets()).isEqualTo(before);
        }
    }

    private Response get(String path, String... fields) throws IOException {
        return RawClient.ask(
                gateway.port(),
                "GET " + path + " HTTP/1.1\r\nHost: a\r\n" + String.join("", withEnds(fields)) + "\r\n");
    }

    private static String[] withEnds(String[] fields) {
        String[] lines = new String[fields.length];
        for (int i = 0; i < fields.length; i++) {
            lines[i] = fields[i] + "\r\n";
        }
        return lines;
    }

    private static CacheRule rule(String keys, boolean store, Optional<String> least, Optional<String> most) {
        return new CacheRule(KeyPattern.parse(keys), store, least.map(DataSize::parse), most.map(DataSize::parse));
    }
}
