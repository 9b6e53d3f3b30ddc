package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.GatewayHops;
import io.millrace.backend.spi.TierResponse;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A gateway in front of a gateway: content is as old as it is in both together, and Cache-Status tells of both. */
@ExtendWith(BufferLeakExtension.class)
class SecondTierTest {
    private static final BucketName BUCKET = new BucketName("bucket");

    @TempDir
    Path folder;

    private final InMemoryBackend objects =
            new InMemoryBackend(Set.of(Capability.VERSIONS, Capability.WRITE, Capability.CONDITIONAL_WRITE));
    private final AtomicLong ahead = new AtomicLong();
    private final Instant begin = Instant.now();

    /** Stands still by itself: what takes long here is no older for that. */
    private final InstantSource clock = () -> begin.plusMillis(ahead.get());

    private BlockCache farCache;
    private BlockCache nearCache;
    private TestGateway far;
    private TestGateway near;
    private Backend tier;

    @BeforeEach
    void start() throws IOException {
        objects.createBucket(BUCKET);
        FreshnessSettings minute =
                BucketViews.freshness(Mode.TTL, Duration.ofSeconds(60), Duration.ZERO, Duration.ZERO);
        FreshnessSettings strict = BucketViews.freshness(Mode.STRICT, Duration.ZERO, Duration.ZERO, Duration.ZERO);
        farCache = CacheFixture.in(Files.createDirectory(folder.resolve("far")), "1GiB", clock);
        nearCache = CacheFixture.in(Files.createDirectory(folder.resolve("near")), "1GiB", clock);
        far = TestGateway.builder()
                .cache(farCache)
                .clock(clock)
                .freshness(minute)
                .bucket("*", objects)
                .start();
        tier = far.asBackend(16);
        near = TestGateway.builder()
                .cache(nearCache)
                .clock(clock)
                .freshness(minute)
                .bucket("bucket", tier)
                .freshness(strict)
                .alias("strict", "bucket", "")
                .start();
    }

    @AfterEach
    void stop() {
        near.close();
        tier.close().block();
        far.close();
        nearCache.close();
        farCache.close();
    }

    @Test
    void statusesOfBothComeInOrder() throws Exception {
        store("key", "content");

        Response first = client(near).get("/bucket/key");
        awaitStored();
        Response second = client(near).get("/bucket/key");

        assertThat(first.text()).isEqualTo("content");
        assertThat(first.headers().get("cache-status"))
                .isEqualTo("millrace; fwd=miss; stored, millrace; fwd=miss; stored");
        assertThat(second.text()).isEqualTo("content");
        assertThat(second.headers().get("cache-status"))
                .as("the other gateway had no part in it")
                .matches("millrace; hit; ttl=[0-9]+");
    }

    @Test
    void ageOfTheFarCopyCounts() throws Exception {
        store("key", "content");
        client(far).get("/bucket/key");
        awaitStored();
        ahead.set(40_000);

        Response first = client(near).get("/bucket/key");
        awaitStored();
        ahead.set(50_000);
        Response second = client(near).get("/bucket/key");
        ahead.set(62_000);
        Response third = client(near).get("/bucket/key");

        assertThat(first.headers().get("cache-status"))
                .matches("millrace; hit; ttl=[0-9]+, millrace; fwd=miss; stored");
        assertThat(Integer.parseInt(first.headers().get("age"))).isBetween(40, 45);
        assertThat(second.headers().get("cache-status")).matches("millrace; hit; ttl=[0-9]");
        assertThat(third.headers().get("cache-status"))
                .isEqualTo("millrace; fwd=stale; stored, millrace; fwd=stale; stored");
    }

    /** Rounded down to seconds, content would be up to a second younger at each gateway. */
    @Test
    void agesAddUpToTheMillisecond() throws Exception {
        store("key", "content");
        client(far).get("/bucket/key");
        awaitStored();
        ahead.set(900);
        client(near).get("/bucket/key");
        awaitStored();
        ahead.set(1_800);

        Response toAGateway = client(near).ask("GET", "/bucket/key", Map.of(GatewayHops.HEADER, GatewayHops.newId()));

        assertThat(toAGateway.headers())
                .containsEntry(TierResponse.AGE_HEADER, "1800")
                .containsEntry("age", "2");
        assertThat(client(near).get("/bucket/key").headers()).doesNotContainKeys(TierResponse.AGE_HEADER, "age");
    }

    @Test
    void strictReadsAreStrictInBoth() throws Exception {
        store("key", "old");
        assertThat(client(near).get("/strict/key").text()).isEqualTo("old");
        awaitStored();
        store("key", "new!");

        Response response = client(near).get("/strict/key");

        assertThat(response.text()).isEqualTo("new!");
    }

    @Test
    void noCacheOfAClientGoesAllTheWay() throws Exception {
        store("key", "old");
        assertThat(client(near).get("/bucket/key").text()).isEqualTo("old");
        awaitStored();
        store("key", "new!");
        assertThat(client(near).get("/bucket/key").text()).isEqualTo("old");

        Response response = client(near).ask("GET", "/bucket/key", Map.of("cache-control", "no-cache"));

        assertThat(response.text()).isEqualTo("new!");
    }

    /** The far copy is as old as the near one: younger than the ttl, and older than the client accepts. */
    @Test
    void maximumAgeOfAClientGoesAllTheWay() throws Exception {
        store("key", "old");
        assertThat(client(near).get("/bucket/key").text()).isEqualTo("old");
        awaitStored();
        store("key", "new!");
        ahead.set(40_000);

        Response response = client(near).ask("GET", "/bucket/key", Map.of("cache-control", "max-age=30"));

        assertThat(response.text()).isEqualTo("new!");
    }

    @Test
    void versionsAreThoseOfTheOrigin() throws Exception {
        ObjectVersion first = store("key", "one");
        store("key", "two");
        String id = first.versionId().orElseThrow();

        Response response = client(near).get("/bucket/key?versionId=" + id);

        assertThat(response.text()).isEqualTo("one");
        assertThat(response.headers().get("x-amz-version-id")).isEqualTo(id);
        assertThat(client(near).get("/bucket/key").text()).isEqualTo("two");
    }

    @Test
    void errorsOfTheFarGatewayComeThrough() throws Exception {
        assertThat(client(near).get("/bucket/absent").element("Code")).isEqualTo("NoSuchKey");
        assertThat(client(near).get("/bucket?list-type=2").status()).isEqualTo(200);
    }

    /** Whatever a client writes there, it cannot make others' requests look as if they had come back. */
    @Test
    void clientsCannotForgeGatewayHops() throws Exception {
        store("key", "content");
        String invented = GatewayHops.newId();

        for (String hops : new String[] {invented, invented + ", " + invented, "x", "", "a".repeat(4000)}) {
            Response response = client(near).ask("GET", "/bucket/key", Map.of(GatewayHops.HEADER, hops));

            assertThat(response.text()).as(hops).isEqualTo("content");
        }
        assertThat(client(near).get("/bucket/key").text()).isEqualTo("content");
    }

    private ObjectVersion store(String key, String content) {
        return objects.store(
                new ObjectRef(BUCKET, new ObjectKey(key)), content.getBytes(StandardCharsets.UTF_8), HeaderList.EMPTY);
    }

    private void awaitStored() {
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(60))
                .until(() -> nearCache.administration().stats().fills() == 0
                        && farCache.administration().stats().fills() == 0);
    }

    private static SigningClient client(TestGateway gateway) {
        return SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
    }
}
