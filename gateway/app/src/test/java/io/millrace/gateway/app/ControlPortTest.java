package io.millrace.gateway.app;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TlsClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that idle connections to the control port are closed, and give way to others at its limit: they use file
 * descriptors that the data plane needs, and must not keep probes out.
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
    void theLongestIdleConnectionGivesWayToANewOne() throws Exception {
        List<Socket> open = new ArrayList<>();
        try (Gateway gateway = start("10m");
                Socket used = connect(gateway, "127.0.0.9")) {
            assertThat(ask(used)).startsWith("HTTP/1.1 200");
            for (int address = 1; address <= 5; address++) {
                openAtLeast(ControlPlaneSettings.MOST_CONNECTIONS_OF_ONE, gateway, "127.0.0." + address, open);
                // Later than those, as it has just been used.
                assertThat(ask(used)).startsWith("HTTP/1.1 200");
            }

            assertThat(health(gateway, "127.0.0.8")).as("of another address").startsWith("HTTP/1.1 200");
            assertThat(health(gateway, "127.0.0.1")).as("of one of theirs").startsWith("HTTP/1.1 200");
            awaitClosed(open.size() + 1 - ControlPlaneSettings.MOST_CONNECTIONS, open);
            assertThat(ask(used)).as("the one that is used").startsWith("HTTP/1.1 200");
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    @Test
    void connectionsOfOneAddressGiveWayToItsOwn() throws Exception {
        List<Socket> open = new ArrayList<>();
        try (Gateway gateway = start("10m");
                Socket other = connect(gateway, "127.0.0.9")) {
            openAtLeast(ControlPlaneSettings.MOST_CONNECTIONS_OF_ONE + 10, gateway, "127.0.0.1", open);

            assertThat(health(gateway, "127.0.0.1")).startsWith("HTTP/1.1 200");
            awaitClosed(open.size() - ControlPlaneSettings.MOST_CONNECTIONS_OF_ONE, open);
            assertThat(health(other)).as("an older one of another address").startsWith("HTTP/1.1 200");
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    @Test
    void connectionsWithoutAHandshakeGiveWayToNewOnes() throws Exception {
        TestCertificate.create("control").write(folder);
        String tls = ", tls: { certificate: %1$s/certificate.pem, private-key: %1$s/key.pem }".formatted(folder);
        List<Socket> open = new ArrayList<>();
        try (Gateway gateway = start("10m", tls);
                TlsClient first = new TlsClient(gateway.adminPort())) {
            assertThat(first.get("/health")).endsWith("200 OK");
            for (int address = 1; address <= 5; address++) {
                openAtLeast(ControlPlaneSettings.MOST_CONNECTIONS_OF_ONE, gateway, "127.0.0." + address, open);
                assertThat(first.get("/health")).endsWith("200 OK");
            }
            // Some are accepted, and closed, later than others: while too many are still to be closed none is served.
            awaitClosed(open.size() + 1 - ControlPlaneSettings.MOST_CONNECTIONS, open);

            assertThat(isServedOverTls(gateway, "127.0.0.9")).isTrue();
            assertThat(isServedOverTls(gateway, "127.0.0.1")).isTrue();
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

    private static String health(Gateway gateway, String from) throws IOException {
        try (Socket socket = connect(gateway, from)) {
            return health(socket);
        }
    }

    /** Returns the first line of the response to a request after which the connection stays open. */
    private static String ask(Socket socket) throws IOException {
        socket.getOutputStream().write("GET /live HTTP/1.1\r\nhost: a\r\n\r\n".getBytes(US_ASCII));
        InputStream in = socket.getInputStream();
        String status = String.valueOf(RawClient.line(in));
        int length = 0;
        for (String field = RawClient.line(in); field != null && !field.isEmpty(); field = RawClient.line(in)) {
            if (field.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length =
                        Integer.parseInt(field.substring(field.indexOf(':') + 1).strip());
            }
        }
        in.readNBytes(length);
        return status;
    }

    /** Waits until this many are closed. Which come first depends on the event loops that accept them. */
    private static void awaitClosed(int most, List<Socket> open) {
        Polling.until("as many as are too many are closed", () -> {
            long closed = 0;
            for (Socket socket : open) {
                closed += isClosed(socket) ? 1 : 0;
            }
            return closed >= most;
        });
    }

    /** A reset closes it too. */
    private static boolean isClosed(Socket socket) throws IOException {
        socket.setSoTimeout(1);
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException quiet) {
            return false;
        } catch (SocketException reset) {
            return true;
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
                backends: { local: { type: file, path: %1$s/objects } }
                buckets: [ { name: data, backend: local } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                """.formatted(folder, idle, tls);
        return Gateway.start(SettingsLoader.ofText(yaml, Map.of()));
    }
}
