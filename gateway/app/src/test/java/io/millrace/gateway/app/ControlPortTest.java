package io.millrace.gateway.app;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.app.settings.SettingsLoader;
import io.millrace.gateway.app.tls.TestCertificate;
import io.millrace.gateway.app.tls.TlsClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that idle connections to the control port, and those beyond its limit, are closed: they use file descriptors that the data
 * plane needs.
 */
@Timeout(180)
class ControlPortTest {
    private static final SSLSocketFactory TLS = TlsClient.context(null).getSocketFactory();

    @TempDir
    private Path folder;

    @Test
    void aConnectionThatRequestsNothingIsClosed() throws Exception {
        try (Gateway gateway = start("1s");
                Socket socket = connect(gateway)) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void connectionsBeyondTheLimitAreClosedUntilOthersEnd() throws Exception {
        List<Socket> open = new ArrayList<>();
        try (Gateway gateway = start("10m")) {
            openAtLeast(ControlConnectionLimiter.MOST_OF_ONE, gateway, "127.0.0.1", open);
            untilClosed(gateway, "127.0.0.1", "127.0.0.1", open);
            assertThat(health(open.get(0))).startsWith("HTTP/1.1 200");
            try (Socket other = connect(gateway, "127.0.0.9")) {
                assertThat(health(other)).as("of another address").startsWith("HTTP/1.1 200");
            }
            for (int address = 2; address <= 4; address++) {
                openAtLeast(ControlConnectionLimiter.MOST_OF_ONE, gateway, "127.0.0." + address, open);
            }
            untilClosed(gateway, "127.0.0.5", "127.0.0.9", open);

            for (Socket socket : open) {
                socket.close();
            }
            Polling.until("another is served", () -> health(gateway).startsWith("HTTP/1.1 200"));
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    @Test
    void connectionsOverTlsBeyondTheLimitAreClosedUntilOthersEnd() throws Exception {
        TestCertificate.create("control").write(folder);
        String tls = ", tls: { certificate: %1$s/certificate.pem, private-key: %1$s/key.pem }".formatted(folder);
        List<Socket> open = new ArrayList<>();
        try (Gateway gateway = start("10m", tls);
                TlsClient first = new TlsClient(gateway.adminPort())) {
            Polling.until("a connection is closed", () -> {
                // They end after ten seconds, as they have no handshake, and by then there are more.
                openAtLeast(ControlConnectionLimiter.MOST_OF_ONE / 4, gateway, "127.0.0.1", open);
                return !isServedOverTls(gateway, "127.0.0.1");
            });
            assertThat(first.get("/health")).endsWith("200 OK");
            assertThat(isServedOverTls(gateway, "127.0.0.9"))
                    .as("of another address")
                    .isTrue();

            for (Socket socket : open) {
                socket.close();
            }
            Polling.until("another is served", () -> isServedOverTls(gateway, "127.0.0.1"));
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    private static void openAtLeast(int connections, Gateway gateway, String from, List<Socket> open)
            throws IOException {
        for (int i = 0; i < connections; i++) {
            open.add(connect(gateway, from));
        }
    }

    /**
     * Opens connections from one address until one from another is closed. A connection that its client has opened may be unknown to the
     * server, if so many come at once, so their number says little.
     */
    private static void untilClosed(Gateway gateway, String from, String other, List<Socket> open) {
        Polling.until("a connection from " + other + " is closed", () -> {
            open.add(connect(gateway, from));
            try (Socket socket = connect(gateway, other)) {
                return health(socket).isEmpty();
            }
        });
    }

    private static String health(Gateway gateway) throws IOException {
        try (Socket socket = connect(gateway)) {
            return health(socket);
        }
    }

    /** Returns what the server says until it closes the connection. */
    private static String health(Socket socket) throws IOException {
        try {
            socket.getOutputStream()
                    .write("GET /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n".getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        } catch (SocketException reset) {
            return "";
        }
    }

    private static Socket connect(Gateway gateway) throws IOException {
        return connect(gateway, "127.0.0.1");
    }

    private static Socket connect(Gateway gateway, String from) throws IOException {
        Socket socket = new Socket("127.0.0.1", gateway.adminPort(), InetAddress.getByName(from), 0);
        socket.setSoTimeout(60_000);
        return socket;
    }

    /** Returns whether a new connection is not closed before it has the response to a request. */
    private static boolean isServedOverTls(Gateway gateway, String from) throws IOException {
        try (Socket plain = connect(gateway, from);
                Socket socket = TLS.createSocket(plain, "127.0.0.1", gateway.adminPort(), true)) {
            return health(socket).startsWith("HTTP/1.1 200");
        } catch (SSLException closed) {
            return false;
        }
    }

    private Gateway start(String idle) throws Exception {
        return start(idle, "");
    }

    private Gateway start(String idle, String tls) throws Exception {
        String yaml = """
                s3: { address: 127.0.0.1, port: 0, idle-timeout: %2$s }
                admin: { address: 127.0.0.1, port: 0%3$s }
                data: %1$s/data
                backends: { local: { type: file, path: %1$s } }
                buckets: [ { name: data, backend: local } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                """.formatted(folder, idle, tls);
        return Gateway.start(SettingsLoader.ofText(yaml, Map.of()));
    }
}
