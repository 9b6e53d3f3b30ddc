package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.gateway.app.ApiServer.Response;
import io.millrace.gateway.objects.testkit.CacheCorruption;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that responses say when an invalidation does not survive a restart, and when residency is unknown. */
class ApiUnrecordedTest {
    private static final String EVENT = """
            { "Records": [ { "eventName": "ObjectCreated:Put",
              "s3": { "bucket": { "name": "data" }, "object": { "key": "o-01" } } } ] }
            """;

    @Promise("I2")
    @Test
    void reportsInvalidationsThatCouldNotBeRecorded(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(folder)) {
            try (CacheCorruption unused = CacheCorruption.of(server.cache(), folder, "data", "cache")) {
                assertUnkept(server.post(ADMIN, API + "/invalidations", "{\"bucket\":\"data\",\"prefix\":\"o-\"}"));
                assertUnkept(server.post(ADMIN, API + "/invalidations", "{\"bucket\":\"data\"}"));
                assertUnkept(server.post(ADMIN, API + "/invalidations", "{\"bucket\":\"data\",\"key\":\"o-01\"}"));
                assertUnkept(server.post(ADMIN, API + "/notifications", EVENT));

                Response residency = server.get(ADMIN, API + "/residency?bucket=data");
                assertThat(residency.status()).as(residency.text()).isEqualTo(503);
                assertThat(residency.field("detail")).contains("the metadata store cannot be read now");
                Polling.within(Duration.ofSeconds(60))
                        .until(() -> server.get(ADMIN, "/ready").status() == 503);
                assertThat(server.get(ADMIN, "/ready").field("status")).isEqualTo("metadata-store-unavailable");
                assertThat(server.get(ADMIN, "/health").status()).isEqualTo(200);
            }
            assertThat(server.post(ADMIN, API + "/invalidations", "{\"bucket\":\"data\",\"prefix\":\"o-\"}")
                            .status())
                    .isEqualTo(204);
        }
    }

    private static void assertUnkept(Response response) {
        assertThat(response.status()).as(response.text()).isEqualTo(507);
        assertThat(response.field("detail")).startsWith("It holds, but only until the next start");
    }
}
