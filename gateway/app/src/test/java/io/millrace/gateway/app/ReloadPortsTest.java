package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TlsClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what a reload of the settings changes about ports: paths of certificates and limits of connections, but not
 * whether there is TLS.
 */
@Timeout(120)
class ReloadPortsTest {
    private static final String TLS = "tls: { certificate: %1$s/certificate.pem, private-key: %1$s/key.pem }";
    private static final String GET = "GET /pub/key HTTP/1.1\r\nHost: a\r\n\r\n";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private String first = "";
    private String second = "";

    @BeforeEach
    void writeFiles() throws IOException {
        Files.writeString(Files.createDirectories(folder.resolve("objects/pub")).resolve("key"), "content");
        first = certificate("first");
        second = certificate("second");
    }

    @Test
    void otherPathsOfCertificatesApplyToNewConnections() throws Exception {
        write(first, first);
        try (Gateway gateway = start();
                TlsClient open = new TlsClient(gateway.s3Port())) {
            assertThat(open.get("/pub/key")).endsWith("200 OK");
            write(second, second);

            assertThat(send(gateway, "GET", "changes"))
                    .startsWith("200")
                    .contains("\"path\":\"s3.tls.certificate\"", "\"path\":\"admin.tls.private-key\"")
                    .doesNotContain("\"needsRestart\":true");
            assertThat(send(gateway, "POST", "reload")).startsWith("200");

            assertThat(name(gateway.s3Port())).isEqualTo("CN=second");
            assertThat(name(gateway.adminPort())).isEqualTo("CN=second");
            assertThat(open.get("/pub/key")).endsWith("200 OK");
            assertThat(send(gateway, "GET", "changes")).contains("\"changes\":[]");
        }
    }

    @Test
    void filesThatCannotBeUsedRefuseTheWholeReload() throws Exception {
        write(first, "");
        try (Gateway gateway = start()) {
            write(second.replace("key.pem", "none.pem"), "");
            Files.writeString(file(), Files.readString(file()).replace("anonymous: read", "anonymous: none"));

            assertThat(send(gateway, "POST", "reload"))
                    .startsWith("4")
                    .contains("s3.tls.private-key", "none.pem", "stay");

            assertThat(name(gateway.s3Port())).isEqualTo("CN=first");
            try (TlsClient client = new TlsClient(gateway.s3Port())) {
                assertThat(client.get("/pub/key")).endsWith("200 OK");
            }
        }
    }

    @Test
    void turningTlsOnOrOffNeedsARestart() throws Exception {
        write(first, "");
        try (Gateway gateway = start()) {
            write("", second);

            assertThat(send(gateway, "POST", "reload"))
                    .startsWith("200")
                    .contains("\"path\":\"s3.tls\",\"kind\":\"removed\"", "\"path\":\"admin.tls\",\"kind\":\"added\"")
                    .doesNotContain("\"needsRestart\":false");

            assertThat(name(gateway.s3Port())).isEqualTo("CN=first");
            assertThat(send(gateway, "GET", "changes")).startsWith("200").contains("s3.tls", "admin.tls");
        }
    }

    @Test
    void limitsOfConnectionsApplyToNewOnes() throws Exception {
        write("max-connections: 100", "");
        try (Gateway gateway = start();
                RawClient open = new RawClient(gateway.s3Port());
                RawClient other = new RawClient(gateway.s3Port())) {
            assertThat(open.send(GET).status()).isEqualTo(200);
            assertThat(other.send(GET).status()).isEqualTo(200);

            write("max-connections: 100, max-connections-per-address: 1", "");
            assertThat(send(gateway, "POST", "reload"))
                    .contains("s3.max-connections-per-address")
                    .doesNotContain("\"needsRestart\":true");
            assertThat(status(gateway)).isEqualTo(503);
            assertThat(open.send(GET).status()).isEqualTo(200);

            write("max-connections: 100", "");
            assertThat(send(gateway, "POST", "reload")).startsWith("200");
            assertThat(status(gateway)).isEqualTo(200);

            write("max-connections: 1", "");
            assertThat(send(gateway, "POST", "reload")).startsWith("200");
            assertThat(status(gateway)).isEqualTo(200);
            assertThat(other.isClosedByServer()).as("as it was idle longest").isTrue();
            assertThat(open.send(GET).status()).isEqualTo(200);
        }
    }

    @Test
    void limitsAndMetersOfConnectionsAreTheHubPortsToo() throws Exception {
        writeWithHub("max-connections: 100");
        try (Gateway gateway = start()) {
            assertThat(metrics(gateway))
                    .contains(
                            "millrace_s3_connections_limit{port=\"s3\"} 100",
                            "millrace_s3_connections_limit{port=\"hub\"} 100");

            writeWithHub("max-connections: 50");
            assertThat(send(gateway, "POST", "reload")).startsWith("200");

            assertThat(metrics(gateway))
                    .contains(
                            "millrace_s3_connections_limit{port=\"s3\"} 50",
                            "millrace_s3_connections_limit{port=\"hub\"} 50");
        }
    }

    private void writeWithHub(String s3) throws IOException {
        write(s3, "");
        String withHub = Files.readString(file())
                .replace(
                        "backends: {",
                        "hub: { backend: hf, address: 127.0.0.1, port: 0 }\n"
                                + "backends: { hf: { type: hub, url: \"http://127.0.0.1:1\" },");
        Files.writeString(file(), withHub);
    }

    private static String metrics(Gateway gateway) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(gateway.consoleUrl() + "metrics"))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    private static int status(Gateway gateway) throws IOException {
        try (RawClient client = new RawClient(gateway.s3Port())) {
            return client.send(GET).status();
        }
    }

    private String certificate(String name) throws IOException {
        Path files = Files.createDirectories(folder.resolve(name));
        TestCertificate.create(name).write(files);
        return TLS.formatted(files);
    }

    private Path file() {
        return folder.resolve("millrace.yaml");
    }

    private void write(String s3, String admin) throws IOException {
        Files.writeString(
                file(), """
                s3: { address: 127.0.0.1, port: 0%2$s }
                admin: { address: 127.0.0.1, port: 0%3$s }
                data: %1$s/data
                backends: { local: { type: file, path: %1$s/objects } }
                buckets: [ { name: pub, backend: local, anonymous: read } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                """.formatted(folder, s3.isEmpty() ? "" : ", " + s3, admin.isEmpty() ? "" : ", " + admin));
    }

    private Gateway start() throws Exception {
        SettingsSource source = () -> SettingsLoader.ofFile(file(), MachineChecks.inThisProcess());
        return Gateway.start(source.load(), Optional.of(source));
    }

    private static String send(Gateway gateway, String method, String path) throws Exception {
        URI uri = URI.create(gateway.consoleUrl() + "api/v1/settings/" + path);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("authorization", "Bearer " + ApiServer.ADMIN.token())
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> response = HttpClient.newBuilder()
                .sslContext(TlsClient.context(null))
                .build()
                .send(request, BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }

    private static String name(int port) throws Exception {
        try (TlsClient client = new TlsClient(port)) {
            return client.serverCertificate().getSubjectX500Principal().getName();
        }
    }
}
