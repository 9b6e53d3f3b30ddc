package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Verifies the connection of a request whose body is not read. Most clients send all of it before they read the
 * response. If the connection is closed under them, their users see "connection reset" instead of the error.
 */
@ExtendWith(BufferLeakExtension.class)
class UnreadBodyTest {
    private static final String NEXT = "GET /public/x HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final byte[] PIECE = new byte[64 * 1024];

    @SuppressWarnings("NullAway.Init")
    private static TestGateway gateway;

    @BeforeAll
    static void start() {
        InMemoryBackend backend = new InMemoryBackend();
        backend.store(
                new ObjectRef(new BucketName("public"), new ObjectKey("x")),
                "short".getBytes(StandardCharsets.UTF_8),
                HeaderList.EMPTY);
        gateway =
                TestGateway.builder().bucket("public", backend, "", "read,list").start();
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @CsvSource({"PUT, 403", "POST, 403", "DELETE, 403", "GET, 200"})
    void clientReadsTheResponseAfterItsWholeBody(String method, int status) throws Exception {
        try (RawClient client = new RawClient(gateway.port())) {
            sendSlowly(client, method, LingeringClose.MOST_BYTES - PIECE.length);
            RawClient.Response response = client.send("");

            assertThat(response.status()).isEqualTo(status);
            assertThat(response.headers()).containsEntry("connection", "close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void clientReadsTheResponseToAMalformedRequest() throws Exception {
        try (RawClient client = new RawClient(gateway.port())) {
            OutputStream out = client.socket().getOutputStream();
            out.write("NONSENSE\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            sendSlowly(out, 8L * PIECE.length);

            assertThat(client.send("").status()).isEqualTo(400);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /** The server must not read an unwanted body forever. */
    @Test
    void disconnectsAClientThatNeverStopsSending() throws Exception {
        try (RawClient client = new RawClient(gateway.port())) {
            Exception cut = null;
            try {
                sendSlowly(client, 256L * 1024 * 1024);
            } catch (SocketException e) {
                cut = e;
            }

            assertThat(cut).isNotNull();
        }
    }

    @Test
    void disconnectsAnIdleClientAfterARefusal() throws Exception {
        try (RawClient client = new RawClient(gateway.port())) {
            RawClient.Response response = client.send(put("Content-Length: 5368709120"));
            assertThat(response.status()).isEqualTo(403);
            assertThat(response.headers()).containsEntry("connection", "close");
            assertThat(client.isClosedByServer())
                    .as("the answer has an end at once")
                    .isTrue();

            Polling.until("the connection is gone", () -> !canWrite(client));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 10_000, 65_536})
    void dropsSmallBodyAndKeepsTheConnection(int size) throws IOException {
        try (RawClient client = new RawClient(gateway.port())) {
            for (int i = 0; i < 20; i++) {
                RawClient.Response refused = client.send(put("Content-Length: " + size) + "b".repeat(size));

                assertThat(refused.status()).isEqualTo(403);
                assertThat(refused.headers()).doesNotContainEntry("connection", "close");
                assertThat(client.send(NEXT).text()).isEqualTo("short");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10_000, 65_536})
    void dropsSmallBodyThatFollowsTheResponse(int size) throws IOException {
        try (RawClient client = new RawClient(gateway.port())) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.send(put("Content-Length: " + size)).status()).isEqualTo(403);
                assertThat(client.send("b".repeat(size) + NEXT).text()).isEqualTo("short");
            }
        }
    }

    @Test
    void bodyIsNeverReadAsARequest() throws IOException {
        String other = NEXT.replace("/public/x", "/public/only-here");
        try (RawClient client = new RawClient(gateway.port())) {
            RawClient.Response refused = client.send(put("Content-Length: " + other.length()) + other + other);

            assertThat(refused.status()).isEqualTo(403);
            assertThat(client.send("").status()).isEqualTo(404);
            client.socket().shutdownOutput();
            assertThat(client.isClosedByServer()).isTrue();
            Polling.until("the request is recorded", () -> requestsForOnlyHere() > 0);
            assertThat(requestsForOnlyHere()).isEqualTo(1);
        }
    }

    private static long requestsForOnlyHere() {
        return gateway.requests().stream()
                .filter(request -> request.target().equals("/public/only-here"))
                .count();
    }

    @Test
    void getWithSmallBodyKeepsTheConnection() throws IOException {
        try (RawClient client = new RawClient(gateway.port())) {
            String get = "GET /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody";

            assertThat(client.send(get).text()).isEqualTo("short");
            assertThat(client.send(get + NEXT).text()).isEqualTo("short");
            assertThat(client.send("").text()).isEqualTo("short");
        }
    }

    /** A client that waits for 100 and gets a 403 may leave the body out, so the next bytes are ambiguous. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 4\r\nExpect: 100-continue",
                "Content-Length: 65537",
                "Transfer-Encoding: chunked"
            })
    void largeUnreadBodyClosesTheConnection(String announced) throws IOException {
        try (RawClient client = new RawClient(gateway.port())) {
            RawClient.Response response = client.send(put(announced));

            assertThat(response.status()).isEqualTo(403);
            assertThat(response.headers()).containsEntry("connection", "close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    private static String put(String field) {
        return "PUT /public/x HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n";
    }

    private static void sendSlowly(RawClient client, long size) throws Exception {
        sendSlowly(client, "PUT", size);
    }

    private static void sendSlowly(RawClient client, String method, long size) throws Exception {
        OutputStream out = client.socket().getOutputStream();
        out.write("%s /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
                .formatted(method, size)
                .getBytes(StandardCharsets.US_ASCII));
        sendSlowly(out, size);
    }

    /** Sends with pauses in which the server responds and closes: a client that only time makes slow. */
    private static void sendSlowly(OutputStream out, long size) throws Exception {
        for (long sent = 0; sent < size; sent += PIECE.length) {
            TimeUnit.MILLISECONDS.sleep(20);
            out.write(PIECE);
        }
    }

    private static boolean canWrite(RawClient client) {
        try {
            client.socket().getOutputStream().write(0);
            return true;
        } catch (IOException closed) {
            return false;
        }
    }
}
