package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.gateway.app.ApiServer.Response;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that requests which need a lost disk are refused with a remedy, and that an operator reattaches it. */
class ApiLostDiskTest {
    @Test
    void refusesScrubOfALostDisk(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(folder)) {
            Files.delete(folder.resolve("cache/millrace.disk"));
            await().pollInterval(Duration.ofMillis(100))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> state(server).equals("lost"));

            Response response = server.send(ADMIN, "POST", API + "/disks/0/scrub", "");

            assertThat(response.status()).as(response.text()).isEqualTo(409);
            assertThat(response.field("detail")).contains("cache is lost").contains("millrace disks reattach ");
        }
    }

    @Test
    void reattachesALostDiskByItsFolderInTheSettings(@TempDir Path folder) throws Exception {
        Path superblock = folder.resolve("cache/millrace.disk");
        try (ApiServer server = ApiServer.start(folder)) {
            Path away = Files.move(superblock, folder.resolve("away"));
            await().pollInterval(Duration.ofMillis(100))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> state(server).equals("lost"));
            assertThat(run(folder, server, 0, "disks"))
                    .containsPattern("state +lost")
                    .containsPattern("available +0 B");
            assertThat(run(folder, server, 2, "disks", "reattach", "other"))
                    .contains("no cache disk has the folder other: 'millrace disks' lists them");

            Files.move(away, superblock);

            assertThat(run(folder.resolve("objects"), server, 0, "disks", "reattach", "./cache/"))
                    .containsPattern("state +healthy")
                    .doesNotContainPattern("available +0 B");
            assertThat(state(server)).isEqualTo("healthy");
        }
    }

    @Test
    void emptiedDiskIsForgottenWhileTheServerIsStopped(@TempDir Path folder) throws Exception {
        String[] forget = {"disks", "forget", "--data", "data", "cache"};
        try (ApiServer server = ApiServer.start(folder)) {
            assertThat(run(folder, server, 1, forget)).contains("is in use by another Millrace");
        }
        try (MillraceProcess millrace = MillraceProcess.run(folder, Map.of(), forget)) {
            assertThat(millrace.exitCode()).as(millrace.output()).isZero();
        }
        try (MillraceProcess millrace = MillraceProcess.run(folder, Map.of(), forget)) {
            assertThat(millrace.exitCode()).as(millrace.output()).isEqualTo(1);
            assertThat(millrace.output()).contains("no cache disk is known at cache");
        }
    }

    private static String run(Path folder, ApiServer server, int code, String... arguments) throws Exception {
        Map<String, String> environment = Map.of(
                "MILLRACE_ENDPOINT_URL", server.uri("").toString(),
                "AWS_ACCESS_KEY_ID", ADMIN.accessKey(),
                "AWS_SECRET_ACCESS_KEY", ADMIN.secret().reveal());
        try (MillraceProcess millrace = MillraceProcess.run(folder, environment, arguments)) {
            assertThat(millrace.exitCode()).as(millrace.output()).isEqualTo(code);
            return millrace.output();
        }
    }

    private static String state(ApiServer server) throws Exception {
        return server.get(ADMIN, API + "/disks")
                .json()
                .path("disks")
                .path(0)
                .path("state")
                .asString();
    }
}
