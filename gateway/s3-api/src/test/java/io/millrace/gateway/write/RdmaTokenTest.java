package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that would write by RDMA sends no bytes: it is told so, and the object that is there stays. */
@ExtendWith(BufferLeakExtension.class)
class RdmaTokenTest {
    private static final ObjectRef KEY = new ObjectRef(new BucketName("bucket"), new ObjectKey("key"));
    private static final byte[] GOOD = "bytes that must stay".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path folder;

    private final InMemoryBackend objects =
            new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.COPY, Capability.MULTIPART));
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        objects.store(KEY, GOOD, HeaderList.EMPTY);
        cache = CacheFixture.in(folder);
        gateway = TestGateway.builder()
                .cache(cache)
                .freshness(BucketViews.freshness(
                        FreshnessSettings.Mode.TTL, Duration.ofMinutes(10), Duration.ZERO, Duration.ZERO))
                .forwardUnknown("x-amz-rdma-token")
                .bucket("bucket", remembering(objects))
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, /bucket/key, x-amz-rdma-token",
        "PUT, /bucket/key, x-amz-meta-rdma-token",
        "PUT, /bucket/key, X-Amz-RDMA-Token",
        "PUT, /bucket/key?partNumber=1&uploadId=some, x-amz-rdma-token",
        "PUT, /bucket/key?partNumber=1&uploadId=some, x-amz-meta-rdma-token",
        "POST, /bucket/key?uploads=, x-amz-meta-rdma-token",
        "POST, /bucket/key?uploadId=some, x-amz-rdma-token"
    })
    void writeWithTheHeaderIsRefused(String method, String target, String name) throws IOException {
        assertRefused(SignedWriteRequest.of(method, target).with(name + ": token"));
        assertRefused(SignedWriteRequest.of(method, target).with(name + ": ").body(GOOD));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x-amz-rdma-token", "x-amz-meta-rdma-token", "X-Amz-Rdma-Token"})
    void writeWithTheParameterIsRefused(String name) throws IOException {
        assertRefused(SignedWriteRequest.put("/bucket/key?" + name + "=token", new byte[0]));
        assertRefused(SignedWriteRequest.put("/bucket/key?" + name + "=token&partNumber=1&uploadId=u", new byte[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x-amz-rdma-token", "x-amz-meta-rdma-token"})
    void presignedWriteIsRefused(String name) throws IOException {
        String host = "127.0.0.1:" + gateway.port();
        URI url = gateway.signer()
                .presign(
                        URI.create("http://" + host + "/bucket/key?" + name + "=token"),
                        "PUT",
                        Duration.ofMinutes(5),
                        Instant.now());

        RawClient.Response response = RawClient.ask(
                gateway.port(),
                "PUT " + url.getRawPath() + "?" + url.getRawQuery() + " HTTP/1.1\r\nhost: " + host
                        + "\r\ncontent-length: 0\r\n\r\n");

        assertRefused(response);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x-amz-rdma-token", "x-amz-meta-rdma-token"})
    void formWithTheFieldIsRefused(String name) throws IOException {
        assertRefused(
                PostForm.of("bucket", "key", new byte[0]).allowed(name, "token").ask());
    }

    @Test
    void forgedRequestIsRefusedForItsSignature() throws IOException {
        RawClient.Response response = SignedWriteRequest.put("/bucket/key", new byte[0])
                .with("x-amz-rdma-token: token")
                .by(TestGateway.ACCESS_KEY, "another-secret")
                .send(gateway.port());

        assertThat(response.status()).isEqualTo(403);
        assertThat(asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x-amz-rdma-token", "x-amz-meta-rdma-token"})
    void readsIgnoreIt(String name) throws IOException {
        for (int i = 0; i < 3; i++) {
            RawClient.Response get =
                    SignedWriteRequest.get("/bucket/key").with(name + ": token").send(gateway.port());
            RawClient.Response head = SignedWriteRequest.of("HEAD", "/bucket/key?" + name + "=token")
                    .send(gateway.port());
            RawClient.Response list = SignedWriteRequest.get("/bucket?list-type=2")
                    .with(name + ": token")
                    .send(gateway.port());

            assertThat(get.status()).as(get.text()).isEqualTo(200);
            assertThat(get.bytes()).isEqualTo(GOOD);
            assertThat(get.headers()).doesNotContainKey("x-amz-rdma-reply");
            assertThat(head.status()).isEqualTo(200);
            assertThat(list.status()).isEqualTo(200);
        }
        assertThat(asked).isNotEmpty().noneMatch(call -> call.startsWith("forward"));
    }

    private void assertRefused(SignedWriteRequest request) throws IOException {
        assertRefused(request.send(gateway.port()));
    }

    private void assertRefused(RawClient.Response response) throws IOException {
        assertThat(response.status()).as(response.text()).isEqualTo(501);
        assertThat(response.element("Code")).isEqualTo("NotImplemented");
        assertThat(response.headers()).containsEntry("x-amz-rdma-reply", "501");
        assertThat(asked).isEmpty();
        RawClient.Response kept = SignedWriteRequest.get("/bucket/key").send(gateway.port());
        assertThat(kept.bytes()).isEqualTo(GOOD);
        asked.clear();
    }

    /** Everything that the backend is asked goes to {@link #asked}. */
    private Backend remembering(InMemoryBackend inner) {
        Set<Capability> capabilities = EnumSet.of(Capability.S3_FORWARD);
        capabilities.addAll(inner.capabilities());
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("capabilities")) {
                        return capabilities;
                    }
                    asked.add(method.getName());
                    try {
                        return method.invoke(inner, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
