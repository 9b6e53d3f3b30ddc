package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.PayloadType;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.config.Secret;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A request that the fast path cannot answer meets the gate once; what the gate said holds for no other request and no
 * other settings.
 */
class PassedOnRequestTest {
    private static final String OTHER_KEY = "OTHERKEY";
    private static final String OTHER_SECRET = "other-secret";

    private final AtomicInteger clockReads = new AtomicInteger();
    private final InMemoryBackend backend = new InMemoryBackend();
    private final RequestService service = service("other", OTHER_KEY);

    @BeforeEach
    void seed() {
        ObjectRef object = new ObjectRef(new BucketName("data"), new ObjectKey("open/object"));
        backend.store(object, new byte[4], HeaderList.EMPTY);
    }

    private RequestService service(String name, String accessKey) {
        return builder(name, accessKey).service();
    }

    private TestGateway.Builder builder(String name, String accessKey) {
        return TestGateway.builder()
                .clock(() -> {
                    clockReads.incrementAndGet();
                    return Instant.now();
                })
                .bucket("data", backend)
                .identity(name, accessKey, OTHER_SECRET, "read:data/open/*");
    }

    @ParameterizedTest
    @CsvSource({"open/object, other-secret, 200", "closed/object, other-secret, 403", "open/object, wrong-secret, 403"})
    void requestMeetsTheGateOnce(String key, String secret, int status) {
        FastPathRequest request = request(key, secret);
        assertThat(service.respondFromMemory(request)).isNull();
        int verified = clockReads.get();
        assertThat(verified).isPositive();

        DirectExchange.Reply response = DirectExchange.serve(service, request);

        assertThat(clockReads).hasValue(verified);
        assertThat(response.status()).isEqualTo(status).isEqualTo(withoutFastPath(key, secret));
    }

    /** The age of its metadata is looked at with the clock. */
    @Test
    void objectOnDiskIsLookedUpOnce(@TempDir Path folder) throws IOException {
        ObjectRef object = new ObjectRef(new BucketName("data"), new ObjectKey("open/large"));
        backend.store(object, new byte[200_000], HeaderList.EMPTY);
        try (BlockCache cache = CacheFixture.in(folder)) {
            RequestService cached = builder("other", OTHER_KEY)
                    .cache(cache)
                    .freshness(BucketViews.freshness(
                            FreshnessSettings.Mode.TTL, Duration.ofMinutes(10), Duration.ZERO, Duration.ZERO))
                    .service();
            assertThat(DirectExchange.serve(cached, request("open/large", OTHER_SECRET))
                            .status())
                    .isEqualTo(200);
            FastPathRequest request = request("open/large", OTHER_SECRET);
            assertThat(cached.respondFromMemory(request)).isNull();
            int decided = clockReads.get();

            DirectExchange.Reply response = DirectExchange.serve(cached, request);

            assertThat(clockReads).hasValue(decided);
            assertThat(response.status()).isEqualTo(200);
        }
    }

    @Test
    void replacedSettingsVerifyAnew() {
        FastPathRequest request = request("open/object", OTHER_SECRET);
        assertThat(service.respondFromMemory(request)).isNull();

        assertThat(DirectExchange.serve(service("another", "ANOTHERKEY"), request)
                        .status())
                .isEqualTo(403);
    }

    @Test
    void otherRequestsGetNothing() {
        HttpRequest first = head("open/object", OTHER_SECRET);
        HttpRequest second = head("open/object", OTHER_SECRET);

        assertThat(received(first).takePassedOn(second.headers())).isNull();
        assertThat(received(first, second).takePassedOn(first.headers())).isNull();
        FastPathHandler fast = received(first);
        assertThat(fast.takePassedOn(first.headers())).isNotNull();
        assertThat(fast.takePassedOn(first.headers())).isNull();
    }

    /** Returns the handler of a connection that has received these requests, of which nobody has taken one. */
    private FastPathHandler received(HttpRequest... requests) {
        FastPathHandler fast = new FastPathHandler(() -> service, () -> false, Duration.ofMinutes(5));
        EmbeddedChannel channel = new EmbeddedChannel(fast);
        for (HttpRequest request : requests) {
            channel.writeInbound(request, LastHttpContent.EMPTY_LAST_CONTENT);
        }
        channel.finishAndReleaseAll();
        return fast;
    }

    private int withoutFastPath(String key, String secret) {
        return DirectExchange.serve(service, request(key, secret)).status();
    }

    private static FastPathRequest request(String key, String secret) {
        return Objects.requireNonNull(FastPathRequest.of(head(key, secret), new EmbeddedChannel()));
    }

    private static HttpRequest head(String key, String secret) {
        URI target = URI.create("http://gateway.test/data/" + key);
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, target.getPath());
        request.headers().set("host", "gateway.test");
        new RequestSigner(OTHER_KEY, Secret.of(secret), "us-east-1")
                .sign(target, "GET", Map.of(), PayloadType.UNSIGNED, Instant.now())
                .forEach((name, value) -> request.headers().set(name, value));
        return request;
    }
}
