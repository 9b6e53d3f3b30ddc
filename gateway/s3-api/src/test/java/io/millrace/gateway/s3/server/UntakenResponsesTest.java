package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.s3.connection.RefusalReason;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that clients who send many requests and take no response hold no connection for long, though each response is
 * small, and that such a client keeps nobody out.
 */
@Timeout(120)
class UntakenResponsesTest {
    /** Fewer requests than the HTTP codec takes at once, which closes the connection of a client that sends more. */
    private static final int REQUESTS = 100;

    /** Its response has the key, each character as five. */
    private static final String REFUSED = "GET /private/" + "&".repeat(700) + " HTTP/1.1\r\nHost: a\r\n\r\n";

    private static final String SMALL = "GET /pub/key HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final Duration LONG = Duration.ofMinutes(5);

    private static final int PIECE = 4 * 1024;

    /** Between two pieces that a slow client reads. */
    private static final Duration PAUSE = Duration.ofMillis(80);

    /** After this time without the end of a request, the requests wait for their client. */
    private static final Duration STILL = Duration.ofMillis(500);

    private final InMemoryBackend backend = new InMemoryBackend();

    @BeforeEach
    void store() {
        backend.store(new ObjectRef(new BucketName("pub"), new ObjectKey("key")), new byte[100], HeaderList.EMPTY);
    }

    @Test
    void clientThatTakesNoResponseIsDisconnected() throws Exception {
        try (TestGateway gateway =
                        builder().stalledReader(Duration.ofSeconds(1)).start();
                Flood flood = flood(gateway)) {
            Polling.until("it is disconnected", () -> gateway.connections() == 0);

            assertThat(gateway.requests()).as("it waited for its client").hasSizeLessThan(flood.requests());
        }
    }

    @Test
    void clientThatTakesResponsesSlowlyIsServedToTheEnd() throws Exception {
        Duration limit = Duration.ofSeconds(6);
        try (TestGateway gateway = builder().stalledReader(limit).start();
                Flood flood = flood(gateway)) {
            assertThat(gateway.requests()).as("it waits for its client").hasSizeLessThan(flood.requests());

            String responses = readSlowly(flood);
            assertThat(responses.split("HTTP/1.1 403", -1)).hasSize(1 + flood.requests());
            assertThat(PAUSE.multipliedBy(responses.length() / PIECE))
                    .as("all pauses")
                    .isGreaterThan(limit);
        }
    }

    @Test
    void clientsThatTakeNoResponseGiveWayToNewOnes() throws Exception {
        try (TestGateway gateway =
                        builder().stalledReader(LONG).maxConnections(2).start();
                Flood first = flood(gateway);
                Flood second = flood(gateway)) {
            Polling.until("a new client is served", () -> isServed(gateway));

            Polling.until("one of the others has given way", () -> gateway.connections() == 1);
            assertThat(gateway.requests())
                    .as("they waited for their clients")
                    .hasSizeLessThan(first.requests() + second.requests());
            assertThat(gateway.refused(RefusalReason.MAX_CONNECTIONS)).isPositive();
        }
    }

    /** Returns a gateway to be completed. */
    TestGateway.Builder newBuilder() {
        return TestGateway.builder();
    }

    private TestGateway.Builder builder() {
        return newBuilder().bucket("private", backend).bucket("pub", backend, "", "read");
    }

    /** A client that has sent requests whose responses, of which it has read none, fill all buffers. */
    private record Flood(RawClient client, int requests) implements AutoCloseable {
        void send(String text) throws IOException {
            client.socket().getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }

    private static Flood flood(TestGateway gateway) throws IOException {
        Flood flood = new Flood(gateway.connect(), REQUESTS);
        // Not smaller than the window that was announced: TCP would lose bytes, and then be slow to send the requests.
        flood.client().socket().setReceiveBufferSize(64 * 1024);
        flood.send(REFUSED.repeat(REQUESTS));
        Polling.untilStill(STILL, () -> gateway.requests().size());
        return flood;
    }

    /** Over TLS a refused connection is closed during the handshake. */
    private static boolean isServed(TestGateway gateway) {
        try (RawClient client = gateway.connect()) {
            return client.send(SMALL).status() == 200;
        } catch (IOException refused) {
            return false;
        }
    }

    private static String readSlowly(Flood flood) throws Exception {
        String responses = "";
        byte[] piece = new byte[PIECE];
        while (responses.split("</Error>", -1).length <= flood.requests()) {
            int length = flood.client().in().read(piece);
            if (length < 0) {
                throw new EOFException("ended after %d bytes".formatted(responses.length()));
            }
            responses += new String(piece, 0, length, StandardCharsets.US_ASCII);
            Thread.sleep(PAUSE.toMillis());
        }
        return responses;
    }
}
