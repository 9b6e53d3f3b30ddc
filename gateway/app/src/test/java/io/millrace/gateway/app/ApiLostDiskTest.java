package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.gateway.app.ApiServer.Response;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that requests which need a lost disk are refused with a remedy. */
class ApiLostDiskTest {
    @Test
    void diskThatIsLostIsNotLookedAt(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(folder)) {
            Files.delete(folder.resolve("cache/millrace.disk"));
            await().pollInterval(Duration.ofMillis(100))
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> state(server).equals("lost"));

            Response response = server.send(ADMIN, "POST", API + "/disks/0/scrub", "");

            assertThat(response.status()).as(response.text()).isEqualTo(409);
            assertThat(response.field("detail")).contains("cache is lost").contains("millrace disks reattach ");
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
