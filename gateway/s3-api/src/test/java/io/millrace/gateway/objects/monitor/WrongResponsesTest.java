package io.millrace.gateway.objects.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.auth.PayloadType;
import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.backend.resilience.ResilientBackend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.BackendFault.CutConnection;
import io.millrace.backend.testkit.fault.BackendFault.LongBody;
import io.millrace.backend.testkit.fault.BackendFault.ReplacedObject;
import io.millrace.backend.testkit.fault.BackendFault.ShortBody;
import io.millrace.backend.testkit.fault.BackendFault.WrongETag;
import io.millrace.backend.testkit.fault.BackendFault.WrongRange;
import io.millrace.backend.testkit.fault.BackendFault.WrongSize;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * A backend of any type whose responses are wrong: no client gets wrong bytes in a response that looks complete, and
 * nothing of them is cached.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class WrongResponsesTest {
    private static final ObjectRef OBJECT = new ObjectRef(new BucketName("data"), new ObjectKey("object"));
    private static final int SIZE = 3 << 20;
    private static final int FIRST = 1 << 20;
    private static final byte[] BYTES = GeneratedBytes.of("object").first(SIZE);

    @TempDir
    Path folder;

    private final InMemoryBackend memory = new InMemoryBackend();
    private final FaultyBackend faulty = new FaultyBackend(memory, FaultPlan.none());
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of("another range", new WrongRange(1), true),
                Arguments.of("another size", new WrongSize(1), false),
                Arguments.of("another version", new WrongETag(ETag.strong("other")), false),
                Arguments.of("too few bytes", new ShortBody(1000), true),
                Arguments.of("too many bytes", new LongBody(1), true),
                Arguments.of("cut", new CutConnection(1000), true),
                Arguments.of("changed in mid-read", new ReplacedObject(1000), false));
    }

    /** Each fault is in every response while the second of three blocks is missing. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void wrongBytesAreNeitherSentNorCached(String name, BackendFault fault, boolean counted) throws IOException {
        memory.store(OBJECT, BYTES, HeaderList.EMPTY);
        BackendFailureTracker failures = new BackendFailureTracker(
                (backend, bucket) -> Optional.empty(),
                WarningLimiter.untimed(LoggerFactory.getLogger(WrongResponsesTest.class), System::nanoTime));
        MeteredBackend metered = new MeteredBackend("far", faulty, registry, failures);
        ResilientBackend backend = new ResilientBackend("far", metered, ResilienceSettings.DEFAULTS);
        try (BlockCache cache = CacheFixture.in(folder);
                TestGateway gateway = TestGateway.builder()
                        .cache(cache)
                        .bucket("data", backend)
                        .start()) {
            assertThat(range(gateway, 0, 100)).contains(Arrays.copyOfRange(BYTES, 0, 101));

            faulty.plan(FaultPlan.always(fault));
            Optional<byte[]> wrong = range(gateway, FIRST, FIRST + 9_999);
            wrong.ifPresent(bytes -> assertThat(bytes)
                    .as("a complete response")
                    .isEqualTo(Arrays.copyOfRange(BYTES, FIRST, FIRST + 10_000)));
            if (counted) {
                // Of bytes too many the backend's response tells last, when its client has all.
                Polling.until("it is counted", () -> failures.last("far").isPresent());
                assertThat(failures.last("far").orElseThrow().message())
                        .as("counted")
                        .isNotEmpty();
            }

            faulty.plan(FaultPlan.none());
            assertThat(range(gateway, 0, SIZE - 1)).contains(BYTES);
            assertThat(range(gateway, 0, SIZE - 1)).as("from the cache").contains(BYTES);
        }
    }

    /** Returns the bytes of a response; empty for an error or a response that broke off. */
    private static Optional<byte[]> range(TestGateway gateway, int first, int last) throws IOException {
        URI uri = URI.create(gateway.endpoint() + "/data/object");
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("host", uri.getAuthority());
        fields.putAll(gateway.signer().sign(uri, "GET", fields, PayloadType.UNSIGNED, Instant.now()));
        fields.forEach(connection::setRequestProperty);
        connection.setRequestProperty("Range", "bytes=%d-%d".formatted(first, last));
        try {
            return connection.getResponseCode() == 206
                    ? Optional.of(connection.getInputStream().readAllBytes())
                            .filter(bytes -> bytes.length == last - first + 1)
                    : Optional.empty();
        } catch (IOException broken) {
            return Optional.empty();
        } finally {
            connection.disconnect();
        }
    }
}
