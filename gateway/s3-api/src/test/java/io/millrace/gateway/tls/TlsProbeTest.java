package io.millrace.gateway.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.s3.connection.RefusalReason;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TestGateway;
import io.millrace.gateway.testkit.TlsClient;
import io.netty.handler.ssl.SslContext;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Probes the data plane's TLS as scanners do: old versions, weak cipher suites, renegotiation, names, and clients that
 * do not finish a handshake. {@code PortTlsTest} has client certificates.
 */
@Timeout(120)
class TlsProbeTest {
    private static final int HANDSHAKE_FAILURE = 40;
    private static final int PROTOCOL_VERSION = 70;

    private static final int ECDHE_ECDSA_AES_128_GCM = 0xC02B;
    private static final int ECDHE_RSA_AES_128_GCM = 0xC02F;

    /** Suites without authenticated encryption (CBC, RC4, 3DES, NULL), without forward secrecy, or anonymous. */
    private static final int[] WEAK = {
        0x0000,
        0x0001,
        0x0002,
        0x003B,
        0xC006,
        0xC010, // NULL
        0x0004,
        0x0005,
        0xC007,
        0xC011, // RC4
        0x0009,
        0x000A,
        0x0016,
        0xC008,
        0xC012, // DES, 3DES
        0x002F,
        0x0035,
        0x003C,
        0x003D,
        0x0041,
        0x0084,
        0x0096, // RSA with CBC
        0x0033,
        0x0039,
        0x0067,
        0x006B, // DHE_RSA with CBC
        0xC009,
        0xC00A,
        0xC023,
        0xC024, // ECDHE_ECDSA with CBC
        0xC013,
        0xC014,
        0xC027,
        0xC028, // ECDHE_RSA with CBC
        0x009C,
        0x009D,
        0xC09C, // RSA with GCM and CCM: no forward secrecy
        0x0018,
        0x001B,
        0x0034,
        0x00A6,
        0xC018,
        0xC019 // anonymous
    };

    private static final Supplier<SslContext> ELLIPTIC = TestCertificate.serverContext();

    @Test
    void refusesOldVersions() throws Exception {
        try (TestGateway gateway = gateway(ELLIPTIC).start()) {
            for (int version : new int[] {ClientHello.SSL_3, ClientHello.TLS_1_0, ClientHello.TLS_1_1}) {
                // With suites of those versions, so that nothing but the version is refused.
                assertThat(ClientHello.of(version, 0xC009, 0xC00A, 0xC013, ECDHE_ECDSA_AES_128_GCM)
                                .sendTo(gateway.port()))
                        .as("version %x", version)
                        .isEqualTo(new ClientHello.ServerHello(PROTOCOL_VERSION, -1));
            }
            assertThat(gateway.refused(RefusalReason.HANDSHAKE)).isEqualTo(3);
        }
    }

    @Test
    void refusesWeakSuitesWithEitherKindOfKey() throws Exception {
        try (TestGateway elliptic = gateway(ELLIPTIC).start();
                TestGateway rsa = gateway(
                                TestCertificate.create(Algorithm.rsa2048, "rsa").context())
                        .start()) {
            for (int suite : WEAK) {
                for (TestGateway gateway : List.of(elliptic, rsa)) {
                    assertThat(ClientHello.of(ClientHello.TLS_1_2, suite).sendTo(gateway.port()))
                            .as("suite %04x", suite)
                            .isEqualTo(new ClientHello.ServerHello(HANDSHAKE_FAILURE, -1));
                }
            }
            // The same message is accepted with one good suite among the weak ones.
            assertThat(ClientHello.of(ClientHello.TLS_1_2, with(WEAK, ECDHE_ECDSA_AES_128_GCM))
                            .sendTo(elliptic.port()))
                    .isEqualTo(new ClientHello.ServerHello(-1, ECDHE_ECDSA_AES_128_GCM));
            assertThat(ClientHello.of(ClientHello.TLS_1_2, with(WEAK, ECDHE_RSA_AES_128_GCM))
                            .sendTo(rsa.port()))
                    .isEqualTo(new ClientHello.ServerHello(-1, ECDHE_RSA_AES_128_GCM));
        }
    }

    @Test
    void refusesRenegotiation() throws Exception {
        try (TestGateway gateway = gateway(ELLIPTIC).start();
                SSLSocket socket = socket(gateway, "")) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.startHandshake();
            assertThat(get(socket)).startsWith("HTTP/1.1 200");

            assertThatThrownBy(() -> {
                        socket.startHandshake();
                        get(socket);
                    })
                    .isInstanceOf(IOException.class);
            Polling.until("the connection is closed", () -> gateway.connections() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "unknown.example", "a.b.c.s3.test"})
    void servesWithoutNameAndWithAnyName(String name) throws Exception {
        try (TestGateway gateway = gateway(ELLIPTIC).start();
                SSLSocket socket = socket(gateway, name)) {
            assertThat(get(socket)).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void closesPlainHttpWithoutReset() throws Exception {
        try (TestGateway gateway = gateway(ELLIPTIC).start();
                Socket plain = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            plain.setSoTimeout(60_000);
            plain.getOutputStream()
                    .write("GET /pub/key HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            byte[] received = plain.getInputStream().readAllBytes(); // would throw after a reset

            assertThat(new String(received, StandardCharsets.ISO_8859_1)).doesNotContain("HTTP/1.1");
            assertThat(gateway.refused(RefusalReason.HANDSHAKE)).isEqualTo(1);
        }
    }

    @Test
    void endsAHandshakeThatTricklesAtTheDeadline() throws Exception {
        try (TestGateway gateway =
                        gateway(ELLIPTIC).requestHead(Duration.ofSeconds(1)).start();
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            byte[] hello =
                    ClientHello.of(ClientHello.TLS_1_2, ECDHE_ECDSA_AES_128_GCM).bytes();
            int sent = 0;
            try {
                for (; sent < hello.length - 1; sent++) {
                    socket.getOutputStream().write(hello[sent]);
                    Thread.sleep(100); // the client is slow
                }
            } catch (SocketException closed) {
                // The server is faster than this loop.
            }

            assertThat(sent).isLessThan(hello.length - 1);
            assertThat(gateway.refused(RefusalReason.HANDSHAKE)).isEqualTo(1);
            // A client sees the end of a connection before the gauge does.
            Polling.until("the connection is closed", () -> gateway.connections() == 0);
        }
    }

    /** The deadline of a head begins with its first byte, which is here only when its record is. */
    @Test
    void endsARecordThatTricklesAtTheIdleTimeout() throws Exception {
        try (TestGateway gateway = gateway(ELLIPTIC).idle(Duration.ofSeconds(4)).start();
                Socket plain = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
                SSLSocket socket = (SSLSocket) TlsClient.context(null)
                        .getSocketFactory()
                        .createSocket(plain, "127.0.0.1", gateway.port(), true)) {
            assertThat(get(socket)).startsWith("HTTP/1.1 200");
            byte[] record = Arrays.copyOf(new byte[] {23, 3, 3, 1, 0}, 256);
            int sent = 0;
            try {
                for (; sent < record.length; sent++) {
                    plain.getOutputStream().write(record[sent]);
                    Thread.sleep(100); // the client is slow
                }
            } catch (SocketException closed) {
                // The server is faster than this loop.
            }

            assertThat(sent).isLessThan(record.length);
            Polling.until("the connection is closed", () -> gateway.connections() == 0);
        }
    }

    @Test
    void servesClientsWithACertificateThatIsNotRequired() throws Exception {
        String[] all = {};
        try (TestGateway gateway = gateway(ELLIPTIC).start();
                TlsClient client = new TlsClient(gateway.port(), TestCertificate.create("client"), all, all)) {
            assertThat(client.get("/pub/key")).endsWith("200 OK");
            assertThat(client.protocol()).isEqualTo("TLSv1.3");
        }
    }

    @Test
    void halfHandshakesDoNotStopOthers() throws Exception {
        int flood = 500;
        byte[] hello =
                ClientHello.of(ClientHello.TLS_1_2, ECDHE_ECDSA_AES_128_GCM).bytes();
        byte[] half = Arrays.copyOf(hello, hello.length / 2);
        List<Socket> sockets = new ArrayList<>();
        try (TestGateway gateway =
                gateway(ELLIPTIC).requestHead(Duration.ofSeconds(10)).start()) {
            for (int i = 0; i < flood; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
                sockets.add(socket);
                socket.getOutputStream().write(half);
            }
            for (int i = 0; i < 10; i++) {
                try (RawClient client = gateway.connect()) {
                    assertThat(client.send("GET /pub/key HTTP/1.1\r\nHost: a\r\n\r\n")
                                    .status())
                            .isEqualTo(200);
                }
            }
            Polling.within(Duration.ofSeconds(60)).until(() -> gateway.connections() == 0);
            assertThat(gateway.refused(RefusalReason.HANDSHAKE)).isEqualTo(flood);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static TestGateway.Builder gateway(Supplier<SslContext> tls) {
        InMemoryBackend backend = new InMemoryBackend();
        backend.store(new ObjectRef(new BucketName("pub"), new ObjectKey("key")), new byte[100], HeaderList.EMPTY);
        return TestGateway.builder().bucket("pub", backend, "", "read").tls(tls);
    }

    /** @param name the name to ask for; the address is none */
    private static SSLSocket socket(TestGateway gateway, String name) throws IOException {
        SSLSocket socket =
                (SSLSocket) TlsClient.context(null).getSocketFactory().createSocket("127.0.0.1", gateway.port());
        socket.setSoTimeout(60_000);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setServerNames(name.isEmpty() ? List.of() : List.of(new SNIHostName(name)));
        socket.setSSLParameters(parameters);
        return socket;
    }

    private static String get(SSLSocket socket) throws IOException {
        socket.getOutputStream().write("GET /pub/key HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        String status = String.valueOf(RawClient.line(socket.getInputStream()));
        for (String line = RawClient.line(socket.getInputStream());
                line != null && !line.isEmpty();
                line = RawClient.line(socket.getInputStream())) {
            // to the end of the head
        }
        socket.getInputStream().readNBytes(100);
        return status;
    }

    private static int[] with(int[] suites, int last) {
        int[] all = Arrays.copyOf(suites, suites.length + 1);
        all[suites.length] = last;
        return all;
    }
}
