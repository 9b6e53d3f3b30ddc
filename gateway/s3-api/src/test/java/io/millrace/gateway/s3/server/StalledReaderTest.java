package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.s3.observe.OutcomeCategory;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Verifies that a stalled reader is disconnected and a slow one is not. Each reader holds a backend connection, which
 * others may need.
 */
class StalledReaderTest {
    private final InMemoryBackend objects = new InMemoryBackend();
    private final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());

    @Test
    void stalledReaderIsDisconnectedAndReleased() throws Exception {
        store(64 * 1024 * 1024);
        try (TestGateway gateway = gateway(Duration.ofSeconds(1));
                RawClient client = ask(gateway)) {
            Polling.until("it is disconnected", () -> !gateway.requests().isEmpty());

            assertThat(gateway.requests()).hasSize(1);
            assertThat(gateway.requests().get(0).outcome()).isEqualTo(OutcomeCategory.CLIENT_LEFT);
            Polling.until("the body is closed", () -> backend.openBodies() == 0);
            assertThat(client.socket().isConnected()).isTrue();
        }
    }

    @Test
    void slowReaderIsServedToTheEnd() throws Exception {
        int size = 1024 * 1024;
        store(size);
        // 16 pauses take longer than the limit, and one pause, with all that a busy machine adds to it, does not.
        try (TestGateway gateway = gateway(Duration.ofSeconds(6));
                RawClient client = ask(gateway)) {
            client.readSlowly(size, Duration.ofMillis(400));

            Polling.until("it is recorded", () -> gateway.requests().size() == 1);
            assertThat(gateway.requests().get(0).outcome()).isEqualTo(OutcomeCategory.OK);
        }
    }

    @Test
    void stalledReaderIsDisconnectedAfterTheDrainTime() throws Exception {
        int size = 64 * 1024 * 1024;
        store(size);
        TestGateway gateway = builder()
                .bucket("pub", backend, "", "read")
                .drain(Duration.ofSeconds(1))
                .start();
        try (RawClient client = ask(gateway)) {
            assertThat(client.in().readNBytes(100)).hasSize(100);
            long start = System.nanoTime();
            gateway.close();

            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("no less than the drain time, and not the five minutes of a reader that stands still")
                    .isBetween(Duration.ofSeconds(1), Duration.ofMinutes(2));
            Polling.until("it is recorded", () -> gateway.requests().size() == 1);
            assertThat(gateway.requests().get(0).outcome()).isEqualTo(OutcomeCategory.CLIENT_LEFT);
            Polling.until("the body is closed", () -> backend.openBodies() == 0);
            assertThat(readToTheEnd(client)).as("bytes of a broken answer").isLessThan(size);
        }
    }

    private static long readToTheEnd(RawClient client) {
        long read = 0;
        try {
            for (int n = client.in().read(new byte[65_536]);
                    n >= 0;
                    n = client.in().read(new byte[65_536])) {
                read += n;
            }
        } catch (IOException reset) {
            // A reset ends the response too.
        }
        return read;
    }

    /** Returns a gateway to be completed. */
    TestGateway.Builder builder() {
        return TestGateway.builder();
    }

    private TestGateway gateway(Duration stalledReader) {
        return builder()
                .bucket("pub", backend, "", "read")
                .stalledReader(stalledReader)
                .start();
    }

    private static RawClient ask(TestGateway gateway) throws IOException {
        RawClient client = gateway.connect();
        client.socket().setReceiveBufferSize(16 * 1024);
        client.socket()
                .getOutputStream()
                .write("GET /pub/object HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return client;
    }

    private void store(int size) {
        objects.createBucket(new BucketName("pub"));
        objects.store(new ObjectRef(new BucketName("pub"), new ObjectKey("object")), new byte[size], HeaderList.EMPTY);
    }
}
