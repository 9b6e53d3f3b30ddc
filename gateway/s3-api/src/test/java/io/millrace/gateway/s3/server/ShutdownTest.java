package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a shutdown ends no connection whose client may have sent a request. */
@Timeout(120)
class ShutdownTest {
    private static final String GET = "GET /open/key HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final int SIZE = 3_000_000;

    /** Returns a gateway to be completed. */
    TestGateway.Builder builder() {
        return TestGateway.builder();
    }

    private TestGateway gateway() {
        InMemoryBackend backend = new InMemoryBackend();
        backend.store(
                new ObjectRef(new BucketName("open"), new ObjectKey("key")),
                GeneratedBytes.of("key").first(SIZE),
                HeaderList.EMPTY);
        return builder()
                .drain(Duration.ofMinutes(5))
                .bucket("open", backend, "", "read")
                .start();
    }

    @Test
    void newConnectionIsServedAfterThePortWasClosed() throws Exception {
        TestGateway gateway = gateway();
        try (RawClient client = gateway.connect()) {
            Polling.until("it is accepted", () -> gateway.connections() == 1);
            CompletableFuture<Void> stopped = stop(gateway);

            RawClient.Response response = client.send(GET);

            assertThat(response.bytes()).isEqualTo(GeneratedBytes.of("key").first(SIZE));
            assertThat(response.headers()).containsEntry("connection", "close");
            assertThat(client.isClosedByServer()).isTrue();
            stopped.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void requestInProgressIsServedAfterThePortWasClosed() throws Exception {
        TestGateway gateway = gateway();
        try (RawClient client = gateway.connect()) {
            client.socket().getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
            int first = client.in().read();
            CompletableFuture<Void> stopped = stop(gateway);

            assertThat(first).isEqualTo('H');
            assertThat(client.in().readAllBytes())
                    .endsWith(GeneratedBytes.of("key").first(SIZE));
            stopped.get(1, TimeUnit.MINUTES);
        }
    }

    /**
     * Its head has told the client that the connection goes on; the client waits, and would for longer than the stop
     * may take.
     */
    @Test
    void connectionIsClosedAfterAResponseBegunBeforeTheStop() throws Exception {
        TestGateway gateway = gateway();
        try (RawClient client = gateway.connect()) {
            client.socket().getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
            client.in().readNBytes(1);
            CompletableFuture<Void> stopped = stop(gateway);
            // Longer than a new connection has for its first request.
            TimeUnit.MILLISECONDS.sleep(1500);

            assertThat(client.in().readAllBytes())
                    .endsWith(GeneratedBytes.of("key").first(SIZE));
            stopped.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void connectionsWithoutARequestAreClosed() throws Exception {
        TestGateway gateway = gateway();
        try (RawClient idle = gateway.connect();
                RawClient silent = gateway.connect()) {
            assertThat(idle.send(GET).status()).isEqualTo(200);
            Polling.until("both are accepted", () -> gateway.connections() == 2);

            stop(gateway).get(1, TimeUnit.MINUTES);

            assertThat(idle.isClosedByServer()).isTrue();
            assertThat(silent.isClosedByServer()).isTrue();
        }
    }

    /** Returns once the port is closed. */
    private static CompletableFuture<Void> stop(TestGateway gateway) {
        int port = gateway.port();
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(gateway::close);
        Polling.until("the port is closed", () -> isRefused(port));
        return stopped;
    }

    private static boolean isRefused(int port) {
        try (RawClient refused = new RawClient(port)) {
            return false;
        } catch (ConnectException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
