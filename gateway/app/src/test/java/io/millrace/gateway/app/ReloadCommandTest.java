package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the commands and the signal by which operators reload the settings of a server. */
class ReloadCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static MillracePorts ports;

    @SuppressWarnings("NullAway.Init")
    private static MillraceProcess server;

    private record Result(int code, String output) {}

    @BeforeAll
    static void start() throws Exception {
        ports = new MillracePorts();
        write("ttl: 60s", "READER1-one");
        server = MillraceProcess.run(folder, Map.of(), "serve", "--config", "millrace.yaml")
                .awaitHealth(ports.admin());
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
        ports.close();
    }

    @BeforeEach
    void restore() throws Exception {
        write("ttl: 60s", "READER1-one");
        assertThat(run("config", "reload").code()).isZero();
    }

    @Test
    void diffShowsChangesAndReloadAppliesThem() throws Exception {
        write("ttl: 90s", "READER1-another");

        Result diff = run("config", "diff");
        assertThat(diff.code()).as(diff.output()).isZero();
        assertThat(diff.output()).isEqualTo("""
                A reload applies:
                  ~ buckets[demo].freshness.ttl: 1m -> 1m30s
                  ~ identities[reader].secret-key: changed
                """);

        assertThat(run("config", "reload").output())
                .isEqualTo(diff.output().replace("A reload applies", "In force now"));
        assertThat(run("config", "diff").output()).isEqualTo("The file has the settings in force.\n");
    }

    @Test
    void problemsAreShownAsAtAStart() throws Exception {
        write("tlt: 90s", "READER1-one");

        Result refused = run("config", "reload");

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.output()).startsWith("""
                millrace: the settings file cannot be applied:

                millrace.yaml:5  buckets[0].freshness.tlt
                   problem: is not a key that Millrace knows
                   remedy:  did you mean ttl?""");
    }

    @Test
    void aSignalReloads() throws Exception {
        write("ttl: 30s", "READER1-one");

        server.hangup();

        Polling.until("the reload", () -> server.output().contains("changes in force: buckets[demo].freshness.ttl\n"));
        assertThat(run("config", "diff").output()).isEqualTo("The file has the settings in force.\n");
    }

    private static void write(String freshness, String secret) throws IOException {
        Path file = Files.writeString(
                folder.resolve("millrace.yaml"), """
                s3: { port: %d }
                admin: { port: %d }
                data: ./state
                backends: { near: { type: file, path: ./objects } }
                buckets: [ { name: demo, backend: near, freshness: { %s } } ]
                identities:
                - { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" }
                - { name: reader, access-key: READER1, secret-key: "%s", allow: "read:demo" }
                """.formatted(ports.s3(), ports.admin(), freshness, secret));
        // It has secrets; one that others can read is warned of.
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static Result run(String... arguments) throws IOException, InterruptedException {
        Map<String, String> environment = Map.of(
                "MILLRACE_ENDPOINT_URL",
                "http://127.0.0.1:" + ports.admin(),
                "AWS_ACCESS_KEY_ID",
                "ADMIN01",
                "AWS_SECRET_ACCESS_KEY",
                "ADMIN01-secret");
        try (MillraceProcess command = MillraceProcess.run(folder, environment, arguments)) {
            int code = command.exitCode();
            return new Result(code, command.output());
        }
    }
}
