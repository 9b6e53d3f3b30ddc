package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code serve --self-signed} as an operator sees it: what it prints makes clients trust both ports. */
class SelfSignedServeTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final MillracePorts ports;

    SelfSignedServeTest() throws IOException {
        ports = new MillracePorts();
    }

    @AfterEach
    void giveBackPorts() throws IOException {
        ports.close();
    }

    @Test
    void firstStartPrintsACommandThatTrustsTheCertificate() throws Exception {
        try (MillraceProcess millrace = MillraceProcess.run(folder, ports.environment(), "serve", "--self-signed")) {
            Matcher curl = await(millrace, "curl -i --cacert '([^']+)' '(https://[^']+)'");
            HttpClient client = trusting(Path.of(curl.group(1)));

            assertThat(curl.group(1))
                    .isEqualTo(folder.resolve("data/tls/certificate.pem")
                            .toRealPath()
                            .toString());
            assertThat(get(client, curl.group(2))).startsWith("200 Hello from Millrace");
            assertThat(get(client, await(millrace, "console +(https://\\S+/)").group(1) + "health"))
                    .startsWith("200");
            assertThat(await(millrace, "export AWS_CA_BUNDLE='([^']+)'").group(1))
                    .isEqualTo(curl.group(1));
        }
    }

    /** A reload adds the certificate too: otherwise it would find TLS turned off, which needs a restart. */
    @Test
    void aReloadOfTheFileKeepsTheCertificate() throws Exception {
        Path file = writeSettings();
        try (MillraceProcess millrace = serve(file)) {
            HttpClient client =
                    trusting(Path.of(await(millrace, "--cacert '([^']+)'").group(1)));
            Files.writeString(
                    file,
                    Files.readString(file)
                            .replace(
                                    "{ name: \"*\", backend: local }",
                                    "{ name: pub, backend: local, anonymous: read }"));
            Files.writeString(
                    Files.createDirectories(folder.resolve("objects/pub")).resolve("key"), "here");
            millrace.hangup();
            await(millrace, "changes in force: .*(pub)");

            assertThat(get(client, "https://localhost:" + ports.s3() + "/pub/key"))
                    .isEqualTo("200 here");
            assertThat(millrace.output()).doesNotContain("need a restart");
        }
    }

    @Test
    void certificateThatCannotBeMadePreventsTheStart() throws Exception {
        Files.writeString(Files.createDirectories(folder.resolve("state")).resolve("tls"), "a file");

        try (MillraceProcess millrace = serve(writeSettings())) {
            await(millrace, "--self-signed: no certificate can be made in .*state/tls");
        }
    }

    private Path writeSettings() throws IOException {
        return Files.writeString(folder.resolve("millrace.yaml"), """
                data: ./state
                backends: { local: { type: file, path: ./objects } }
                buckets: [ { name: "*", backend: local } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """);
    }

    private MillraceProcess serve(Path file) throws IOException {
        return MillraceProcess.run(folder, ports.environment(), "serve", "--config", file.toString(), "--self-signed");
    }

    private static Matcher await(MillraceProcess millrace, String pattern) throws IOException, InterruptedException {
        Pattern searched = Pattern.compile(pattern);
        Polling.until(pattern, () -> searched.matcher(millrace.output()).find());
        Matcher found = searched.matcher(millrace.output());
        assertThat(found.find()).isTrue();
        return found;
    }

    private static String get(HttpClient client, String url) throws IOException, InterruptedException {
        HttpResponse<String> response =
                client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }

    /** Returns a client that checks names, and trusts this certificate only. */
    private static HttpClient trusting(Path certificate) throws Exception {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream file = Files.newInputStream(certificate)) {
            trusted.setCertificateEntry(
                    "millrace", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }
}
