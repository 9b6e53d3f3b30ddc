package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.BOB;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.app.ApiServer.Caller;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Tests a schedule from the settings file to the end of its job. */
class ApiSchedulesTest {
    private static final String IDENTITIES = ReloadFixture.ALICE_SETTINGS
            + "\n- { name: bob, access-key: BOB0001, secret-key: BOB0001-secret, allow: \"read,list:data\" }";

    private static final String SCHEDULES = """
            schedules:
              minutely:
                cron: "* * * * *"
                identity: alice
                job: { kind: prefetch, from: { bucket: data }, workers: 2 }
            """;

    @Test
    void scheduleSubmitsItsJobAsItsIdentity(@TempDir Path folder) throws Exception {
        try (ReloadFixture gateway = new ReloadFixture(folder)) {
            String earlier = submitEarlierTime(gateway);
            gateway.write(ReloadFixture.NEAR, ReloadFixture.DATA, IDENTITIES, SCHEDULES);
            assertThat(gateway.reload().status()).isEqualTo(200);

            Polling.within(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(lastOf(gateway, ALICE)
                                    .path("job")
                                    .asString("none"))
                            .isNotIn("none", earlier));

            JsonNode job = gateway.api(
                            ALICE, "GET", "/jobs/" + lastOf(gateway, ADMIN).path("job").asString(), "")
                    .json();
            assertThat(job.path("owner").asString()).isEqualTo("alice");
            assertThat(job.at("/request/workers").asInt()).isEqualTo(2);
            assertThat(job.at("/request/clientToken").asString()).startsWith("schedule:minutely:");
            Polling.within(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(times(gateway, "started")).isNotIn("", "0.0"));
            assertThat(times(gateway, "missed")).isEqualTo("0.0");
            assertThat(gateway.api(BOB, "GET", "/schedules", "").text()).isEqualTo("{\"schedules\":[]}");
        }
    }

    /** Returns the id of a job as the schedule would have submitted it, so that a later time is made up at once. */
    private static String submitEarlierTime(ReloadFixture gateway) throws Exception {
        Instant time = Instant.now().truncatedTo(ChronoUnit.MINUTES).minus(Duration.ofMinutes(2));
        String request = "{'kind':'prefetch','from':{'bucket':'data'},'clientToken':'schedule:minutely:%s'}"
                .formatted(time)
                .replace('\'', '"');
        String id = gateway.api(ALICE, "POST", "/jobs", request).field("id");
        Polling.within(Duration.ofSeconds(60))
                .until(() -> !gateway.api(ALICE, "GET", "/jobs/" + id, "").field("ended").isEmpty());
        return id;
    }

    private static String times(ReloadFixture gateway, String outcome) throws Exception {
        return gateway.meter(
                "millrace_job_schedule_times_total{outcome=\"%s\",schedule=\"minutely\"}".formatted(outcome));
    }

    private static JsonNode lastOf(ReloadFixture gateway, Caller caller) throws Exception {
        return gateway.api(caller, "GET", "/schedules", "").json().at("/schedules/0/last");
    }
}
