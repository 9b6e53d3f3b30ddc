package io.millrace.gateway.s3.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Sinks;

/** Tests that connections beyond a limit are refused and counted, and that those within it are served on. */
@Timeout(120)
class ConnectionLimitTest {
    private static final String GET = "GET /pub/key HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String GET_HELD = "GET /held/key HTTP/1.1\r\nHost: a\r\n\r\n";

    private final InMemoryBackend backend = new InMemoryBackend();
    private final Sinks.Empty<Void> release = Sinks.empty();
    private final Backend held =
            new FaultyBackend(backend, FaultPlan.always(new BackendFault.StalledHead(release.asMono())));
    private final TestGateway.Builder builder =
            TestGateway.builder().bucket("pub", backend, "", "read").bucket("held", held, "", "read");

    @BeforeEach
    void store() {
        for (String bucket : new String[] {"pub", "held"}) {
            backend.store(new ObjectRef(new BucketName(bucket), new ObjectKey("key")), new byte[100], HeaderList.EMPTY);
        }
    }

    @Test
    void connectionBeyondTheLimitGetsSlowDown() throws Exception {
        try (TestGateway gateway = builder.maxConnections(2).start();
                RawClient first = busy(gateway);
                RawClient second = busy(gateway)) {
            try (RawClient third = gateway.connect()) {
                RawClient.Response refused = third.send(GET);

                assertThat(refused.status()).isEqualTo(503);
                assertThat(refused.element("Code")).isEqualTo("SlowDown");
                assertThat(refused.element("RequestId"))
                        .isNotEmpty()
                        .isEqualTo(refused.headers().get("x-amz-request-id"));
                assertThat(refused.headers())
                        .containsEntry("connection", "close")
                        .containsEntry("retry-after", "1")
                        .containsEntry("content-type", "application/xml");
                assertThat(third.isClosedByServer()).isTrue();
            }
            assertThat(gateway.refused(RefusalReason.MAX_CONNECTIONS)).isEqualTo(1);
            assertThat(gateway.connections()).isEqualTo(2);
            assertThat(release.tryEmitEmpty()).isEqualTo(Sinks.EmitResult.OK);
            assertThat(RawClient.line(first.in())).startsWith("HTTP/1.1 200");
            assertThat(RawClient.line(second.in())).startsWith("HTTP/1.1 200");
        }
    }

    /** Returns a connection whose request gets no response before the release. */
    private static RawClient busy(TestGateway gateway) throws IOException {
        int before = gateway.inFlight();
        RawClient client = gateway.connect();
        client.socket().getOutputStream().write(GET_HELD.getBytes(StandardCharsets.US_ASCII));
        Polling.until("its request is in progress", () -> gateway.inFlight() > before);
        return client;
    }

    @Test
    void withNoneUnusedTheLongestIdleGivesWay() throws Exception {
        try (TestGateway gateway = builder.maxConnections(3).start();
                RawClient busy = busy(gateway);
                RawClient first = gateway.connect();
                RawClient second = gateway.connect()) {
            assertThat(first.send(GET).status()).isEqualTo(200);
            assertThat(second.send(GET).status()).isEqualTo(200);
            // A client may have its response before the connection counts as idle.
            Polling.until("only one is in progress", () -> gateway.inFlight() == 1);
            assertThat(first.send(GET).status()).isEqualTo(200);

            assertThat(RawClient.ask(gateway.port(), GET).status()).isEqualTo(200);

            assertThat(second.isClosedByServer()).isTrue();
            assertThat(first.send(GET).status()).isEqualTo(200);
            assertThat(gateway.refused(RefusalReason.MAX_CONNECTIONS)).isEqualTo(1);
            assertThat(release.tryEmitEmpty()).isEqualTo(Sinks.EmitResult.OK);
            assertThat(RawClient.line(busy.in())).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void theOldestConnectionWithoutARequestGivesWay() throws Exception {
        try (TestGateway gateway =
                        builder.maxConnections(3).maxConnectionsPerAddress(3).start();
                RawClient used = gateway.connect()) {
            assertThat(used.send(GET).status()).isEqualTo(200);
            try (RawClient first = gateway.connect();
                    RawClient second = connectAfter(gateway, 2)) {
                Polling.until("both are open", () -> gateway.connections() == 3);

                assertThat(RawClient.ask(gateway.port(), GET).status()).isEqualTo(200);

                assertThat(first.isClosedByServer()).isTrue();
                assertThat(used.send(GET).status()).isEqualTo(200);
                assertThat(second.send(GET).status()).isEqualTo(200);
            }
            assertThat(gateway.refused(RefusalReason.MAX_CONNECTIONS_PER_ADDRESS))
                    .isEqualTo(1);
        }
    }

    /** Each connection has an event loop, so one that was opened later may be counted earlier. */
    private static RawClient connectAfter(TestGateway gateway, int open) throws IOException {
        Polling.until("those before are open", () -> gateway.connections() == open);
        return gateway.connect();
    }

    @Test
    void closedConnectionMakesRoom() throws Exception {
        try (TestGateway gateway =
                builder.maxConnections(1).maxConnectionsPerAddress(1).start()) {
            for (int i = 0; i < 20; i++) {
                try (RawClient client = gateway.connect()) {
                    assertThat(client.send(GET).status()).isEqualTo(200);
                }
                Polling.until("the connection is closed", () -> gateway.connections() == 0);
            }
        }
    }

    @Test
    void limitOfOneAddressLeavesOthersServed() throws Exception {
        try (TestGateway gateway = builder.maxConnectionsPerAddress(2).start();
                RawClient first = gateway.connect();
                RawClient second = gateway.connect()) {
            assertThat(first.send(GET).status()).isEqualTo(200);
            assertThat(second.send(GET).status()).isEqualTo(200);

            assertThat(RawClient.ask(gateway.port(), GET).status()).isEqualTo(503);
            assertThat(statusFrom("127.0.0.2", gateway.port())).startsWith("HTTP/1.1 200");
            assertThat(gateway.refused(RefusalReason.MAX_CONNECTIONS_PER_ADDRESS))
                    .isEqualTo(1);
            assertThat(gateway.refused(RefusalReason.MAX_CONNECTIONS)).isZero();
        }
    }

    @Test
    void largeUploadBeyondTheLimitSeesItsResponse() throws Exception {
        String upload = "PUT /pub/key HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n" + "x".repeat(500_000);
        try (TestGateway gateway = builder.maxConnectionsPerAddress(1).start();
                RawClient first = gateway.connect()) {
            assertThat(first.send(GET).status()).isEqualTo(200);
            assertThat(RawClient.ask(gateway.port(), upload).status()).isEqualTo(503);
        }
    }

    @Test
    void tlsConnectionBeyondTheLimitIsClosed() throws Exception {
        try (TestGateway gateway = builder.tls(TestCertificate.serverContext())
                        .maxConnectionsPerAddress(1)
                        .start();
                RawClient first = gateway.connect()) {
            assertThat(first.send(GET).status()).isEqualTo(200);

            assertThatThrownBy(gateway::connect).isInstanceOf(IOException.class);
            assertThat(first.send(GET).status()).isEqualTo(200);
            assertThat(gateway.refused(RefusalReason.MAX_CONNECTIONS_PER_ADDRESS))
                    .isEqualTo(1);
            assertThat(gateway.refused(RefusalReason.HANDSHAKE)).isZero();
        }
    }

    @Test
    void floodBeyondTheLimitDoesNotStopOthers() throws Exception {
        int flood = 1_000;
        List<Socket> sockets = new ArrayList<>();
        try (TestGateway gateway = builder.maxConnectionsPerAddress(2).start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect()) {
            assertThat(client.send(GET).status()).isEqualTo(200);
            assertThat(other.send(GET).status()).isEqualTo(200);
            for (int i = 0; i < flood; i++) {
                sockets.add(new Socket(InetAddress.getLoopbackAddress(), gateway.port()));
                if (i % 50 == 0) {
                    assertThat(client.send(GET).status()).isEqualTo(200);
                }
            }
            Polling.until("all are refused", () -> gateway.refused(RefusalReason.MAX_CONNECTIONS_PER_ADDRESS) == flood);
            for (Socket socket : sockets) {
                socket.setSoTimeout(60_000);
                assertThat(isClosed(socket)).isTrue();
            }
            assertThat(other.send(GET).status()).isEqualTo(200);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /** A reset closes it too: the server may have bytes of it unread. */
    private static boolean isClosed(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (IOException reset) {
            return true;
        }
    }

    private static String statusFrom(String address, int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getByName(address), 0)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
            return String.valueOf(RawClient.line(socket.getInputStream()));
        }
    }
}
