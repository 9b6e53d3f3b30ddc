package io.millrace.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Base64;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.KeyManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Tests runs over TLS with a certificate that no authority of Java's signed, in path and in virtual-host style. */
class EncryptedEndpointTest {
    private static final String PASSWORD = "password";

    @TempDir
    private Path folder;

    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final StringWriter err = new StringWriter();
    private Path authority;
    private DisposableServer server;

    @BeforeEach
    void listen() throws IOException, InterruptedException, GeneralSecurityException {
        KeyStore keys = certificate();
        authority = Files.writeString(
                folder.resolve("ca.pem"), pem(keys.getCertificate("s3").getEncoded()));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, PASSWORD.toCharArray());
        var context = SslContextBuilder.forServer(factory).build();
        server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .secure(spec -> spec.sslContext(context))
                .handle((request, response) -> {
                    requests.add(request.requestHeaders().get("Host") + ' ' + request.uri());
                    return response.header("Content-Length", "0").send();
                })
                .bindNow();
    }

    @AfterEach
    void stop() {
        server.disposeNow();
    }

    @Test
    void trustsTheAuthorityInTheFile() {
        assertThat(run("--ca-bundle", authority.toString())).isZero();
        assertThat(requests).contains("s3.test:%d /data/bench/get/0000000000/0".formatted(server.port()));
    }

    @Test
    void virtualHostRequestsNameTheBucketInTheHost() {
        assertThat(run("--virtual-host", "--ca-file", authority.toString())).isZero();
        assertThat(requests).contains("data.s3.test:%d /bench/get/0000000000/0".formatted(server.port()));
    }

    @Test
    void unknownAuthorityIsRefusedWithTheRemedy() {
        assertThat(run()).isOne();
        assertThat(err.toString()).contains("the certificate is not trusted").contains("--ca-bundle");
        assertThat(run("--insecure")).isZero();
    }

    @Test
    void fileWithoutACertificateIsNamed() throws IOException {
        Path notes = Files.writeString(folder.resolve("notes.pem"), "no certificate");

        assertThat(run("--ca-bundle", notes.toString())).isNotZero();
        assertThat(err.toString())
                .contains("--ca-bundle: " + notes + " has no certificate")
                .doesNotContain("AWS_CA_BUNDLE");
    }

    private int run(String... more) {
        String[] common = {
            "bench",
            "run",
            "--endpoint",
            "https://s3.test:" + server.port(),
            "--connect-to",
            "127.0.0.1",
            "--bucket",
            "data",
            "--anonymous",
            "--objects",
            "1",
            "--size",
            "0",
            "--count",
            "1",
            "--warm-up",
            "0s"
        };
        String[] all = Arrays.copyOf(common, common.length + more.length);
        System.arraycopy(more, 0, all, common.length, more.length);
        CommandLine commands = LoadgenApplication.commands();
        commands.setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(err, true));
        return commands.execute(all);
    }

    /** Makes a certificate with the JDK's own tool, which is the only maker of certificates that each JDK has. */
    private KeyStore certificate() throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "s3",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=s3.test",
                        "-ext",
                        "san=dns:s3.test,dns:*.s3.test",
                        "-keystore",
                        store.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(output).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    private static String pem(byte[] encoded) {
        return "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder().encodeToString(encoded)
                + "\n-----END CERTIFICATE-----\n";
    }
}
