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
    private static final Duration SOON = Duration.ofSeconds(60);

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

            String started = Polling.within(SOON)
                    .until(
                            () -> lastOf(gateway, ALICE).path("job").asString(""),
                            id -> !id.isEmpty() && !id.equals(earlier));

            JsonNode job = gateway.api(ALICE, "GET", "/jobs/" + started, "").json();
            assertThat(job.path("owner").asString()).isEqualTo("alice");
            assertThat(job.at("/request/workers").asInt()).isEqualTo(2);
            assertThat(job.at("/request/clientToken").asString()).startsWith("schedule:minutely:");
            awaitState(gateway, earlier, "cancelled");
            Polling.within(SOON)
                    .untilAsserted(() -> assertThat(times(gateway, "started")).isNotIn("", "0.0"));
            assertThat(times(gateway, "missed")).isEqualTo("0.0");
            assertThat(lastOf(gateway, ADMIN).isMissingNode()).isFalse();
            assertThat(gateway.api(BOB, "GET", "/schedules", "").text()).isEqualTo("{\"schedules\":[]}");
        }
    }

    /**
     * Returns the id of a job as the schedule would have submitted it, which has failed, so that a later time is made
     * up at once.
     */
    private static String submitEarlierTime(ReloadFixture gateway) throws Exception {
        Instant time = Instant.now().truncatedTo(ChronoUnit.MINUTES).minus(Duration.ofMinutes(2));
        String request = ("{'kind':'prefetch','from':{'bucket':'data','prefix':'none/'},"
                        + "'clientToken':'schedule:minutely:%s'}")
                .formatted(time)
                .replace('\'', '"');
        String id = gateway.api(ALICE, "POST", "/jobs", request).field("id");
        awaitState(gateway, id, "failed");
        return id;
    }

    private static void awaitState(ReloadFixture gateway, String job, String state) {
        Polling.within(SOON)
                .untilAsserted(() -> assertThat(
                                gateway.api(ALICE, "GET", "/jobs/" + job, "").field("state"))
                        .isEqualTo(state));
    }

    private static String times(ReloadFixture gateway, String outcome) throws Exception {
        return gateway.meter(
                "millrace_job_schedule_times_total{outcome=\"%s\",schedule=\"minutely\"}".formatted(outcome));
    }

    private static JsonNode lastOf(ReloadFixture gateway, Caller caller) throws Exception {
        return gateway.api(caller, "GET", "/schedules", "").json().at("/schedules/0/last");
    }
}
