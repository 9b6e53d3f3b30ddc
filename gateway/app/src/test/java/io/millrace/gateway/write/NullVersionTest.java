package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.CacheFixture;
import io.millrace.gateway.RawClient;
import io.millrace.gateway.TestGateway;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The version {@code null} is the one that writes replace where versions are off: under that name too what was acknowledged is
 * what every later read sees.
 */
@ExtendWith(BufferLeakExtension.class)
class NullVersionTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String CURRENT = "/bucket/key";
    private static final String NULL = "/bucket/key?versionId=null";
    private static final byte[] OLD = GeneratedBytes.of("old").first(1000);
    private static final byte[] NEW = GeneratedBytes.of("new").first(1000);

    @TempDir
    Path folder;

    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        InMemoryBackend objects =
                new InMemoryBackend(EnumSet.of(Capability.WRITE)).createBucket(new BucketName("bucket"));
        gateway = TestGateway.builder()
                .cache(cache)
                .freshness(BucketViews.freshness(Mode.IMMUTABLE, HOUR, HOUR, HOUR))
                .bucket("bucket", withVersionsOff(objects))
                .start();
        assertThat(send(SignedWriteRequest.put(CURRENT, OLD)).status()).isEqualTo(200);
        EndpointWriteCases.await("both names are known", () -> isHit(NULL) && isHit(CURRENT));
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @Test
    void whatIsWrittenIsTheVersionNullAtOnce() throws IOException {
        assertThat(send(SignedWriteRequest.put(CURRENT, NEW)).status()).isEqualTo(200);

        assertThat(send(SignedWriteRequest.get(NULL)).bytes()).isEqualTo(NEW);
        assertThat(send(SignedWriteRequest.get(CURRENT)).bytes()).isEqualTo(NEW);
    }

    @Test
    void whatIsDeletedIsGoneUnderBothNames() throws IOException {
        for (String deleted : List.of(NULL, CURRENT)) {
            assertThat(send(SignedWriteRequest.put(CURRENT, NEW)).status()).isEqualTo(200);
            EndpointWriteCases.await("both names are known", () -> isHit(NULL) && isHit(CURRENT));

            assertThat(send(SignedWriteRequest.of("DELETE", deleted)).status()).isEqualTo(204);

            assertThat(send(SignedWriteRequest.get(NULL)).status()).isEqualTo(404);
            assertThat(send(SignedWriteRequest.get(CURRENT)).status()).isEqualTo(404);
        }
    }

    @Test
    void whatIsDeletedWithOthersIsGoneUnderBothNames() throws IOException {
        for (String version : List.of("", "<VersionId>null</VersionId>")) {
            assertThat(send(SignedWriteRequest.put(CURRENT, NEW)).status()).isEqualTo(200);
            EndpointWriteCases.await("both names are known", () -> isHit(NULL) && isHit(CURRENT));

            RawClient.Response response = send(SignedWriteRequest.of("POST", "/bucket?delete")
                    .body("<Delete><Object><Key>key</Key>" + version + "</Object></Delete>"));

            assertThat(response.text()).contains("<Deleted>");
            assertThat(send(SignedWriteRequest.get(NULL)).status()).isEqualTo(404);
            assertThat(send(SignedWriteRequest.get(CURRENT)).status()).isEqualTo(404);
        }
    }

    /** A backend that has versions, of a bucket where they were never switched on. */
    private static Backend withVersionsOff(Backend inner) {
        EnumSet<Capability> all = EnumSet.of(Capability.VERSIONS);
        all.addAll(inner.capabilities());
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(),
                new Class<?>[] {Backend.class},
                (proxy, method, args) -> method.getName().equals("capabilities") ? all : method.invoke(inner, args));
    }

    private boolean isHit(String target) {
        try {
            String status = send(SignedWriteRequest.get(target)).headers().get("cache-status");
            return status != null && status.startsWith("millrace; hit");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private RawClient.Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway.port());
    }
}
