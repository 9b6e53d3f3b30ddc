package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.PayloadType;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.config.Secret;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TlsClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests TLS on both ports of a running gateway: objects, certificates that change, and clients that are refused. */
@Timeout(120)
class PortTlsTest {
    private static final String[] ALL = {};
    private static final String FILES = "tls: { certificate: %1$s/certificate.pem, private-key: %1$s/key.pem }";

    @TempDir
    private Path folder;

    @BeforeEach
    void writeCertificate() throws IOException {
        Files.createDirectories(folder.resolve("objects/data"));
        TestCertificate.create("first").write(folder);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 4096, 200_000, 5_000_000})
    void returnsEachByteOfAnObject(int size) throws Exception {
        byte[] bytes = GeneratedBytes.of("tls").first(size);
        Files.write(folder.resolve("objects/data/key"), bytes);
        try (Gateway gateway = start(FILES, "")) {
            for (int read = 0; read < 4; read++) { // from the backend, the disk, memory
                assertThat(get(gateway, "").body()).isEqualTo(bytes);
            }
            if (size > 0) {
                int last = size * 3 / 4;
                assertThat(get(gateway, "bytes=%d-%d".formatted(size / 3, last)).body())
                        .isEqualTo(Arrays.copyOfRange(bytes, size / 3, last + 1));
            }
            assertThat(get(gateway, "").headers().firstValue("cache-status"))
                    .hasValueSatisfying(status -> assertThat(status).contains(size == 0 ? "millrace" : "hit"));
        }
    }

    @Test
    void openConnectionSurvivesACertificateThatChanges() throws Exception {
        Files.write(folder.resolve("objects/data/key"), new byte[10]);
        try (Gateway gateway = start(FILES, FILES);
                TlsClient open = new TlsClient(gateway.s3Port())) {
            assertThat(open.get("/data/key")).endsWith("200 OK");

            TestCertificate.create("second").write(folder);

            Polling.until(
                    "new connections get the new certificate",
                    () -> name(gateway.s3Port()).equals("CN=second")
                            && name(gateway.adminPort()).equals("CN=second"));
            assertThat(open.get("/data/key")).endsWith("200 OK");
            assertThat(open.serverCertificate().getSubjectX500Principal().getName())
                    .isEqualTo("CN=first");
        }
    }

    @Test
    void controlPortSpeaksTls() throws Exception {
        try (Gateway gateway = start("", FILES);
                TlsClient client = new TlsClient(gateway.adminPort())) {
            assertThat(client.get("/health")).endsWith("200 OK");
            assertThat(gateway.consoleUrl()).startsWith("https://");
        }
    }

    @Test
    void servesPlainHttpOnItsOwnPortOnly() throws Exception {
        Files.write(folder.resolve("objects/data/key"), new byte[10]);
        try (ReservedPort free = new ReservedPort();
                Gateway gateway = start(FILES + ", plain-port: " + free.number(), "");
                TlsClient client = new TlsClient(gateway.s3Port())) {
            HttpResponse<byte[]> plain = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/data/key".formatted(free.number())))
                                    .build(),
                            BodyHandlers.ofByteArray());

            assertThat(plain.body()).hasSize(10);
            assertThat(client.get("/data/key")).endsWith("200 OK");
        }
    }

    @Test
    void namesThePlainPortThatIsInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> start(FILES + ", plain-port: " + taken.getLocalPort(), "")
                            .close())
                    .isInstanceOf(StartException.class)
                    .hasMessageContainingAll(
                            "127.0.0.1:" + taken.getLocalPort(), "'s3.plain-port'", "MILLRACE_S3_PLAIN_PORT");
        }
    }

    @Test
    void refusesAPlainPortWithoutTls() {
        assertThatThrownBy(() -> start("plain-port: 9090", "").close())
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll("s3.plain-port: 9090", "is set without tls");
    }

    @Test
    void clientsNeedACertificateOfTheAuthorities() throws Exception {
        TestCertificate client = TestCertificate.create("client");
        Files.writeString(folder.resolve("clients.pem"), client.bundle().getCertificatePathPEM());
        String files = FILES.replace(" }", ", client-authorities: %1$s/clients.pem }");
        try (Gateway gateway = start(files, "")) {
            try (TlsClient known = new TlsClient(gateway.s3Port(), client, ALL, ALL)) {
                assertThat(known.get("/data/none")).contains("403");
            }
            assertThatThrownBy(() -> {
                        try (TlsClient unknown =
                                new TlsClient(gateway.s3Port(), TestCertificate.create("other"), ALL, ALL)) {
                            unknown.get("/data/none");
                        }
                    })
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> {
                        try (TlsClient anonymous = new TlsClient(gateway.s3Port())) {
                            anonymous.get("/data/none");
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void reportsFilesThatCannotBeUsed() throws Exception {
        TestCertificate.create("other").write(Files.createDirectories(folder.resolve("other")));

        assertStartFails("tls: { certificate: %1$s/none.pem, private-key: %1$s/key.pem }", "s3.tls.certificate:");
        assertStartFails(
                "tls: { certificate: %1$s/certificate.pem, private-key: %1$s/certificate.pem }", "Missing private key");
        assertStartFails(
                "tls: { certificate: %1$s/certificate.pem, private-key: %1$s/other/key.pem }", "is not the key of");
    }

    private void assertStartFails(String tls, String reason) {
        assertThatThrownBy(() -> start(tls, "").close())
                .isInstanceOf(StartException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("To mend it");
    }

    private Gateway start(String s3, String admin) throws Exception {
        String yaml = """
                s3: { address: 127.0.0.1, port: 0%2$s }
                admin: { address: 127.0.0.1, port: 0%3$s }
                data: %1$s/data
                cache: { disks: [ { path: %1$s/cache, size: 64MiB } ] }
                backends: { local: { type: file, path: %1$s/objects } }
                buckets: [ { name: data, backend: local, anonymous: read, freshness: { mode: immutable } } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                """.formatted(
                        folder,
                        s3.isEmpty() ? "" : ", " + s3.formatted(folder),
                        admin.isEmpty() ? "" : ", " + admin.formatted(folder));
        return Gateway.start(SettingsLoader.ofText(yaml, Map.of()));
    }

    private static HttpResponse<byte[]> get(Gateway gateway, String range) throws Exception {
        URI uri = URI.create("https://127.0.0.1:%d/data/key".formatted(gateway.s3Port()));
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        new RequestSigner("ADMIN01", Secret.of("ADMIN01-secret"), "us-east-1")
                .sign(uri, "GET", Map.of(), new PayloadType.Unsigned(), Instant.now())
                .forEach((name, value) -> {
                    if (!name.equalsIgnoreCase("host")) {
                        request.header(name, value);
                    }
                });
        if (!range.isEmpty()) {
            request.header("Range", range);
        }
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(TlsClient.context(null))
                .build()
                .send(request.build(), BodyHandlers.ofByteArray());
    }

    private static String name(int port) {
        try (TlsClient client = new TlsClient(port)) {
            return client.serverCertificate().getSubjectX500Principal().getName();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
