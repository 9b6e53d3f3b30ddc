package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.command.MillraceApplication;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code config check --probe} says which part of the file a backend does not agree with, and what to do; the backend is a gateway. */
class ConfigProbeTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static ApiServer server;

    private final StringWriter printed = new StringWriter();

    @BeforeAll
    static void start() throws Exception {
        server = ApiServer.start(folder);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void findsNoFaultWithABackendThatAgrees() throws Exception {
        assertThat(probe(endpoint(), "ALICE01", "ALICE01-secret", "data")).isZero();
        assertThat(printed.toString()).contains("probe of far: no problems");
    }

    @ParameterizedTest
    @CsvSource({
        "NOBODY, ALICE01-secret, data, backend far: rejects, correct access-key",
        "ALICE01, wrong, data, backend far: rejects, correct secret-key",
        "READER1, READER1-secret, data, bucket mine, Give it s3:ListBucket",
        "ADMIN01, ADMIN01-secret, absent, bucket mine, correct its name"
    })
    void namesTheFaultAndItsRemedy(String accessKey, String secret, String bucket, String subject, String remedy)
            throws Exception {
        assertThat(probe(endpoint(), accessKey, secret, bucket)).isEqualTo(1);
        assertThat(printed.toString()).contains("problems: 1", subject, remedy);
    }

    @Test
    void tellsOnceThatTheServerIsNotThere() throws Exception {
        // It listens on another address, so that nobody else gets the port meanwhile.
        try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(probe("http://127.0.0.2:" + reserved.getLocalPort(), "A", "secret", "data"))
                    .isEqualTo(1);
        }
        assertThat(printed.toString())
                .contains("problems: 1", "backend far: fails", "Correct its endpoint, or start the server");
    }

    private static String endpoint() {
        return "http://127.0.0.1:" + server.s3Port();
    }

    private int probe(String endpoint, String accessKey, String secret, String bucket) throws IOException {
        Path file = Files.writeString(folder.resolve("probe.yaml"), """
                s3: { port: 0 }
                admin: { port: 0 }
                data: ./probe-data
                backends: { far: { type: s3, endpoint: "%s", access-key: %s, secret-key: %s } }
                buckets: [ { name: mine, backend: far, bucket: %s }, { name: "*", backend: far } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """.formatted(endpoint, accessKey, secret, bucket));
        return MillraceApplication.commands()
                .setOut(new PrintWriter(printed))
                .setErr(new PrintWriter(printed))
                .execute("config", "check", "--probe", "--config", file.toString());
    }
}
