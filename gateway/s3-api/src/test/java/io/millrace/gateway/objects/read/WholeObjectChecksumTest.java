package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.PayloadType;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ReferenceChecksum;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.BackendFault.AllOf;
import io.millrace.backend.testkit.fault.BackendFault.CutConnection;
import io.millrace.backend.testkit.fault.BackendFault.FlippedBit;
import io.millrace.backend.testkit.fault.BackendFault.WrongETag;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bytes that a backend sends as a whole object, and that do not have the checksum it gives, reach no client completely
 * and stay nowhere.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class WholeObjectChecksumTest {
    private static final ObjectRef OBJECT = new ObjectRef(new BucketName("data"), new ObjectKey("object"));
    private static final int SIZE = 3 << 20;
    private static final byte[] BYTES = GeneratedBytes.of("object").first(SIZE);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final InMemoryBackend memory = new InMemoryBackend(Set.of(Capability.CHECKSUMS));
    private final FaultyBackend backend = new FaultyBackend(memory, FaultPlan.none());
    private final AtomicInteger mismatches = new AtomicInteger();
    private final AtomicInteger corrupt = new AtomicInteger();

    @SuppressWarnings("NullAway.Init")
    private BlockCache cache;

    @SuppressWarnings("NullAway.Init")
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        start(folder);
    }

    private void start(Path folder) throws IOException {
        cache = CacheFixture.in(folder, new CacheEventListener() {
            @Override
            public void checksumMismatch() {
                mismatches.incrementAndGet();
            }

            @Override
            public void corrupt() {
                corrupt.incrementAndGet();
            }
        });
        gateway = TestGateway.builder()
                .cache(cache)
                .bucket("data", backend)
                .prefetchOnHead()
                .bucket("ahead", backend, "", "read")
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @Promise("R2")
    @ParameterizedTest
    @CsvSource({"CRC32, 0", "CRC32C, 0", "CRC32C, 1048576", "CRC32, 3145727"})
    void wrongByteBreaksTheResponseAndStaysNowhere(ReferenceChecksum kind, int at) throws IOException {
        store(BYTES, kind, "FULL_OBJECT");
        backend.plan(FaultPlan.always(new FlippedBit(at)));
        assertThat(get().isComplete()).isFalse();
        assertThat(get().isComplete()).as("again").isFalse();
        assertMismatches(2);

        backend.plan(FaultPlan.none());
        assertThat(get().isSound()).isTrue();
        assertThat(get().isSound()).as("from the cache").isTrue();
        assertMismatches(2);
    }

    @Promise("R2")
    @Test
    void wrongBytesStayNowhereAfterARestart() throws IOException {
        store(BYTES, ReferenceChecksum.CRC32C, "FULL_OBJECT");
        backend.plan(FaultPlan.always(new FlippedBit(5)));
        assertThat(get().isComplete()).isFalse();

        stop();
        start(folder);
        backend.plan(FaultPlan.none());
        assertThat(get().isSound()).isTrue();
        assertThat(corrupt).as("records that a disk is blamed for").hasValue(0);
    }

    @Promise("R2")
    @Test
    void wrongBytesOfAPrefetchAreFetchedOnceAndStayNowhere() throws IOException {
        memory.store(
                new ObjectRef(new BucketName("ahead"), OBJECT.key()),
                BYTES,
                HeaderList.EMPTY
                        .with(ReferenceChecksum.CRC32C.headerName(), ReferenceChecksum.CRC32C.compute(BYTES))
                        .with("x-amz-checksum-type", "FULL_OBJECT"));
        backend.plan(FaultPlan.always(new FlippedBit(0)).only(Operation.OPEN));

        RawClient.ask(gateway.port(), "HEAD /ahead/object HTTP/1.1\r\nHost: a\r\nRange: bytes=0-0\r\n\r\n");
        assertMismatches(1);
        Polling.untilStill(Duration.ofMillis(500), () -> backend.calls(Operation.OPEN));
        assertThat(backend.calls(Operation.OPEN)).isEqualTo(1);

        backend.plan(FaultPlan.none());
        RawClient.Response read = RawClient.ask(gateway.port(), "GET /ahead/object HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(read.bytes()).isEqualTo(BYTES);
        assertMismatches(1);
    }

    @Test
    void smallObjectIsRefusedBeforeItsResponse() throws IOException {
        store(GeneratedBytes.of("object").first(4096), ReferenceChecksum.CRC32, "FULL_OBJECT");
        backend.plan(FaultPlan.always(new FlippedBit(17)));

        assertThat(get().status()).isEqualTo(503);
        assertMismatches(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void objectThatIsKnownAlreadyIsComparedToo(boolean wrong) throws IOException {
        store(BYTES, ReferenceChecksum.CRC32, "FULL_OBJECT");
        assertThat(request("HEAD").status()).isEqualTo(200);
        backend.plan(FaultPlan.always(wrong ? new FlippedBit(5) : BackendFault.NONE));

        assertThat(get().isComplete()).isEqualTo(!wrong);
        assertMismatches(wrong ? 1 : 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void comparisonGoesOnAfterABrokenConnection(boolean wrong) throws IOException {
        store(BYTES, ReferenceChecksum.CRC32C, "FULL_OBJECT");
        BackendFault cut = new CutConnection(1_500_000);
        backend.plan(FaultPlan.script(wrong ? new AllOf(List.of(new FlippedBit(5), cut)) : cut));

        assertThat(get().isComplete()).isEqualTo(!wrong);
        assertMismatches(wrong ? 1 : 0);
    }

    @Test
    void objectThatBypassesTheCacheIsCompared() throws IOException {
        store(BYTES, ReferenceChecksum.CRC32C, "FULL_OBJECT");
        BackendFault weak = new WrongETag(new ETag("weak", true));
        backend.plan(FaultPlan.always(weak));
        assertThat(get().isSound()).isTrue();

        backend.plan(FaultPlan.always(new AllOf(List.of(weak, new FlippedBit(SIZE / 2)))));
        assertThat(get().isComplete()).isFalse();
        assertMismatches(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"CRC64NVME", "SHA1", "SHA256"})
    void dearChecksumIsNotCompared(ReferenceChecksum kind) throws IOException {
        store(BYTES, kind, "FULL_OBJECT");
        backend.plan(FaultPlan.always(new FlippedBit(5)));

        assertThat(get().isComplete()).isTrue();
        assertMismatches(0);
    }

    @Test
    void checksumOfPartsIsNotCompared() throws IOException {
        memory.store(
                OBJECT,
                BYTES,
                HeaderList.EMPTY
                        .with("x-amz-checksum-crc32", ReferenceChecksum.CRC32.composite(List.of(BYTES)))
                        .with("x-amz-checksum-type", "COMPOSITE"));

        assertThat(get().isSound()).isTrue();
        assertMismatches(0);
    }

    /** The event comes about when the response breaks off, and perhaps a moment later. */
    private void assertMismatches(int expected) {
        Polling.until("mismatches are counted", () -> mismatches.get() >= expected);
        assertThat(mismatches).hasValue(expected);
    }

    private void store(byte[] bytes, ReferenceChecksum kind, String type) {
        memory.store(
                OBJECT,
                bytes,
                HeaderList.EMPTY.with(kind.headerName(), kind.compute(bytes)).with("x-amz-checksum-type", type));
    }

    /** @param complete empty for an error or a response that broke off */
    private record Received(int status, Optional<byte[]> complete) {
        boolean isComplete() {
            return complete.isPresent();
        }

        boolean isSound() {
            return complete.filter(bytes -> Arrays.equals(bytes, BYTES)).isPresent();
        }
    }

    private Received get() throws IOException {
        return request("GET");
    }

    private Received request(String method) throws IOException {
        URI uri = URI.create(gateway.endpoint() + "/data/object");
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("host", uri.getAuthority());
        fields.putAll(gateway.signer().sign(uri, method, fields, PayloadType.UNSIGNED, Instant.now()));
        fields.forEach(connection::setRequestProperty);
        connection.setRequestMethod(method);
        int status = connection.getResponseCode();
        try {
            // The JDK's client takes a closed connection for the end of a body, whatever its announced length.
            return new Received(
                    status,
                    status == 200
                            ? Optional.of(connection.getInputStream().readAllBytes())
                                    .filter(bytes ->
                                            method.equals("HEAD") || bytes.length == connection.getContentLength())
                            : Optional.empty());
        } catch (IOException broken) {
            return new Received(status, Optional.empty());
        } finally {
            connection.disconnect();
        }
    }
}
