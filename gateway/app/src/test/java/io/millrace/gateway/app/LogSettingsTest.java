package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.millrace.backend.testkit.Polling;
import io.millrace.config.problem.SettingsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that the log has the level and the format of the settings, and that its level follows a reload. */
@Timeout(180)
class LogSettingsTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String SERVER = "io.millrace.gateway.s3.server";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void levelsFollowAReload() throws Exception {
        Logger server = LoggerFactory.getLogger(SERVER);
        Logger other = LoggerFactory.getLogger(LogSettings.OWN + ".gateway.jobs");
        try (ReloadFixture millrace = new ReloadFixture(folder)) {
            assertThat(server.isDebugEnabled()).isFalse();

            reload(millrace, "log: { level: warn, debug: [ " + SERVER + " ] }");
            assertThat(server.isDebugEnabled()).isTrue();
            assertThat(other.isInfoEnabled()).isFalse();

            reload(millrace, "");
            assertThat(server.isDebugEnabled()).isFalse();
            assertThat(other.isInfoEnabled()).isTrue();
        }
    }

    private static void reload(ReloadFixture millrace, String log) throws Exception {
        millrace.write(ReloadFixture.NEAR, ReloadFixture.DATA, ReloadFixture.ALICE_SETTINGS, log);
        assertThat(millrace.reload().status()).isEqualTo(200);
    }

    @Test
    void eachMessageIsAnObjectWithFormatJson() throws Exception {
        Path file = Files.writeString(folder.resolve("millrace.yaml"), """
                log: { format: json }
                cache: { disks: [ { path: ./cache, size: 1GiB } ] }
                backends: { local: { type: file, path: ./objects } }
                buckets: [ { name: data, backend: local } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """);
        // What ignores SIGHUP says so, before anything else if it may.
        try (MillracePorts ports = new MillracePorts();
                MillraceProcess millrace = MillraceProcess.runWithoutHangup(
                                folder, ports.environment(), "serve", "--config", file.toString())
                        .awaitHealth(ports.admin())) {
            Polling.until("the whole start", () -> millrace.output().contains("SIGHUP"));
            millrace.terminate();
            millrace.exitCode();

            assertThat(messages(millrace))
                    .anyMatch(line -> line.contains("The console is at"))
                    .anyMatch(line -> line.contains("backend 'local' was missing and has been made"))
                    .anyMatch(line -> line.contains("SIGHUP is ignored") && line.contains("millrace config reload"));
        }
    }

    @Test
    void whatAFirstStartSaysIsJsonToo() throws Exception {
        try (MillracePorts ports = new MillracePorts();
                MillraceProcess millrace = MillraceProcess.run(folder, json(ports), "serve", "--self-signed")) {
            Polling.until("the whole start", () -> millrace.output().contains("AWS_CA_BUNDLE"));
            millrace.terminate();
            millrace.exitCode();

            assertThat(messages(millrace))
                    .anyMatch(line -> line.contains("data/credentials") && line.contains("data/objects"))
                    .anyMatch(line -> line.contains("data/tls/certificate.pem"))
                    .noneMatch(line -> line.contains("X-Amz-Signature"));
        }
    }

    @Test
    void refusedStartIsOneObjectWithFormatJson() throws Exception {
        Path file = Files.writeString(folder.resolve("millrace.yaml"), """
                log: { format: json }
                s3: { port: 70000, sned-buffer: 1 }
                backends: {}
                """);
        try (MillraceProcess millrace = MillraceProcess.run(folder, Map.of(), "serve", file.toString())) {
            assertThat(millrace.exitCode()).isEqualTo(1);
            assertThat(messages(millrace)).singleElement(as(STRING)).contains("s3.port", "s3.sned-buffer", "remedy");
        }
    }

    @Test
    void takenPortIsOneMoreObjectWithFormatJson() throws Exception {
        try (MillracePorts ports = new MillracePorts();
                ServerSocket taken = new ServerSocket(ports.s3(), 1, InetAddress.getLoopbackAddress());
                MillraceProcess millrace = MillraceProcess.run(folder, json(ports), "serve")) {
            assertThat(millrace.exitCode()).isEqualTo(1);
            assertThat(messages(millrace))
                    .anyMatch(line -> line.contains("s3: cannot listen on 127.0.0.1:" + taken.getLocalPort()));
        }
    }

    private static Map<String, String> json(MillracePorts ports) {
        Map<String, String> environment = new HashMap<>(ports.environment());
        environment.put("MILLRACE_LOG_FORMAT", "json");
        return environment;
    }

    /** Returns the messages of all lines that the process has printed, each of which must be an object. */
    private static List<String> messages(MillraceProcess millrace) throws IOException {
        List<String> messages = new ArrayList<>();
        for (String line : millrace.output().lines().toList()) {
            JsonNode object = JSON.readTree(line);
            assertThat(object.path("log").path("level").asString()).as(line).isNotEmpty();
            assertThat(object.path("@timestamp").asString()).as(line).isNotEmpty();
            assertThat(object.path("message").asString()).as(line).isNotEmpty();
            messages.add(object.path("message").asString());
        }
        return messages;
    }

    /** Loggers of libraries could show headers with credentials. */
    @Test
    void libraryLoggersAreNoneOfTheSettings() {
        assertThatThrownBy(() -> SettingsLoader.ofText("log: { debug: [ reactor.netty ] }", Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("log.debug[0]: reactor.netty")
                .hasMessageContaining("is no package or class of Millrace");
    }
}
