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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that {@code millrace doctor} names what is wrong with the machine and the backends, and what to do; the backend is a gateway. */
class DoctorTest {
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
        assertThat(examine(endpoint(), "ALICE01", "ALICE01-secret", "data")).isZero();
        assertThat(printed.toString())
                .contains("ok       backend far", "ok       clock: as that of backend far", "problems: 0");
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
        assertThat(examine(endpoint(), accessKey, secret, bucket)).isEqualTo(1);
        assertThat(printed.toString()).contains("problems: 1", subject, remedy);
    }

    @Test
    void reportsAMissingBucketUnderEachOfItsNames() throws Exception {
        assertThat(examine(
                        endpoint(),
                        "ADMIN01",
                        "ADMIN01-secret",
                        "absent }, { name: view, backend: far, bucket: absent"))
                .isEqualTo(1);
        assertThat(printed.toString()).contains("problems: 2", "bucket mine: missing", "bucket view: missing");
    }

    @Test
    void reportsUnreachableServerOnce() throws Exception {
        // It listens on another address, so that nobody else gets the port meanwhile.
        try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(examine("http://127.0.0.2:" + reserved.getLocalPort(), "A", "secret", "data"))
                    .isEqualTo(1);
        }
        assertThat(printed.toString())
                .contains("problems: 1", "backend far: fails", "Correct its endpoint, or start the server");
    }

    @Test
    void portOfAnotherProgramIsAProblem() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(examine(taken.getLocalPort(), endpoint(), "ALICE01", "ALICE01-secret", "data"))
                    .isEqualTo(1);
        }
        assertThat(printed.toString())
                .contains("problem  s3.port", "no Millrace answers", "ok       admin.port: 0", "problems: 1");
    }

    @Test
    void foldersAreDescribedAndStayEmpty() throws Exception {
        examine(endpoint(), "ALICE01", "ALICE01-secret", "data");

        assertThat(printed.toString())
                .containsPattern("data: .*doctor-data on \\w+, .* free; a sync takes \\d+\\.\\d ms");
        assertThat(folder.resolve("doctor-data")).doesNotExist();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith(".millrace-doctor"));
        }
    }

    private static String endpoint() {
        return "http://127.0.0.1:" + server.s3Port();
    }

    private int examine(String endpoint, String accessKey, String secret, String bucket) throws IOException {
        return examine(0, endpoint, accessKey, secret, bucket);
    }

    private int examine(int s3Port, String endpoint, String accessKey, String secret, String bucket)
            throws IOException {
        Path file = Files.writeString(
                folder.resolve("doctor.yaml"), """
                s3: { port: %d }
                admin: { port: 0 }
                data: ./doctor-data
                backends: { far: { type: s3, endpoint: "%s", access-key: %s, secret-key: %s } }
                buckets: [ { name: mine, backend: far, bucket: %s }, { name: "*", backend: far } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """.formatted(s3Port, endpoint, accessKey, secret, bucket));
        return MillraceApplication.commands()
                .setOut(new PrintWriter(printed))
                .setErr(new PrintWriter(printed))
                .execute("doctor", "--config", file.toString());
    }
}
