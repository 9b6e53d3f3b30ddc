package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.sigv4.Sha256;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.RawClient;
import io.millrace.gateway.SigningClient;
import io.millrace.gateway.app.settings.MachineChecks;
import io.millrace.gateway.app.settings.SettingsLoader;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that this build opens what releases have left in their data folders and on cache disks, as
 * {@code .ci/upgrade/record} has recorded it. A release whose format has changed since has a test of its own, of the
 * lines in the log that tell what is discarded.
 */
@Timeout(180)
class UpgradeTest {
    private static final ApiServer.Caller ADMIN = ApiServer.ADMIN;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = "0.1.0")
    void releaseLeavesObjectsJobsAndRevocations(String version) throws Exception {
        unpack("written-by-" + version + ".zip");
        // The backend has lost its objects: what is read comes from the cache.
        Files.createDirectories(folder.resolve("objects/data"));
        Files.createDirectories(folder.resolve("objects/copies"));
        try (Gateway gateway = start()) {
            Polling.within(Duration.ofMinutes(1))
                    .until(() -> api(gateway, "/disks").contains("\"state\":\"healthy\""));
            for (String line : Files.readAllLines(folder.resolve("expected"))) {
                String key = line.substring(line.indexOf(' ')).strip();
                RawClient.Response response = get(gateway, ADMIN, key);
                assertThat(response.status()).as(key).isEqualTo(200);
                assertThat(response.headers().get("cache-status")).as(key).startsWith("millrace; hit");
                assertThat(Sha256.hex(response.bytes())).as(key).isEqualTo(line.substring(0, line.indexOf(' ')));
            }
            assertThat(api(gateway, "/jobs"))
                    .contains("\"state\":\"paused\"", "\"state\":\"done\"")
                    .contains("\"kind\":\"copy\"", "\"kind\":\"prefetch\"");
            assertThat(get(gateway, ApiServer.ALICE, "small").status()).isEqualTo(403);
            assertThat(api(gateway, "/revocations")).contains("alice");
        }
    }

    private void unpack(String resource) throws IOException {
        InputStream recording = Objects.requireNonNull(getClass().getResourceAsStream(resource), resource);
        try (ZipInputStream zip = new ZipInputStream(recording)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.copy(zip, file);
            }
        }
    }

    private Gateway start() throws Exception {
        Map<String, String> ports = Map.of("MILLRACE_S3_PORT", "0", "MILLRACE_ADMIN_PORT", "0");
        return Gateway.start(
                SettingsLoader.ofFile(folder.resolve("millrace.yaml"), ports, MachineChecks.inThisProcess()));
    }

    private static RawClient.Response get(Gateway gateway, ApiServer.Caller caller, String key) throws IOException {
        String path = URLEncoder.encode(key, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%2F", "/");
        return new SigningClient(() -> new RawClient(gateway.s3Port()), Optional.of(ReloadFixture.signer(caller)))
                .get("/data/" + path);
    }

    private static String api(Gateway gateway, String path) throws Exception {
        return ApiServer.send(HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + gateway.adminPort() + ApiServer.API + path))
                        .header("authorization", "Bearer " + ADMIN.token())
                        .build())
                .text();
    }
}
