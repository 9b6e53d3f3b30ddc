package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.server.PlannedResponse;
import org.junit.jupiter.api.Test;

/** Tests that a script can ask whether all is well, and that an alarm can be acknowledged. */
class AlarmsCommandTest extends FakeControlServerTest {
    private static final String ALARM = """
            {"id":"job:1","level":"warning","subject":"Job copy s3://a/","state":"failed",
             "since":"2026-01-01T01:00:00Z","message":"no such bucket"%s}
            """;

    @Test
    void anAlarmIsOneAsExitCode() {
        server.on(
                "GET /api/v1/alarms",
                PlannedResponse.json(200, "{\"well\":false,\"alarms\":[" + ALARM.formatted("") + "]}"));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("alarms");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out())
                .isEqualToIgnoringNewLines(
                        "warning   Job copy s3://a/ failed since 2026-01-01T01:00:00Z: no such bucket  (id job:1)");
    }

    @Test
    void acknowledgedAlarmsAreZeroAsExitCode() {
        String known = ALARM.formatted(",\"acknowledged\":{\"by\":\"ops\",\"at\":\"2026-01-01T02:00:00Z\"}");
        server.on("GET /api/v1/alarms", PlannedResponse.json(200, "{\"well\":true,\"alarms\":[" + known + "]}"));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("alarms");

        assertThat(result.code()).isZero();
        assertThat(result.out()).contains("acknowledged by ops");
    }

    @Test
    void noAlarmIsZeroAsExitCodeAlsoInJson() {
        server.on("GET /api/v1/alarms", PlannedResponse.json(200, "{\"well\":true,\"alarms\":[]}"));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("alarms", "--json");

        assertThat(result.code()).isZero();
        assertThat(result.out()).isEqualToIgnoringNewLines("{\"well\":true,\"alarms\":[]}");
    }

    /** Another of the same id, which began while the command ran, is not what it read. */
    @Test
    void acknowledgementNamesTheAlarmThatTheListHas() {
        server.on(
                "GET /api/v1/alarms",
                PlannedResponse.json(200, "{\"well\":false,\"alarms\":[" + ALARM.formatted("") + "]}"));
        server.on("POST /api/v1/alarms/acknowledgements", PlannedResponse.json(200, ALARM.formatted("")));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("alarms", "--acknowledge", "job:1");

        assertThat(result.code()).isZero();
        assertThat(result.out()).startsWith("Acknowledged: ");
        assertThat(server.body(1).text("id")).isEqualTo("job:1");
        assertThat(server.body(1).text("since")).isEqualTo("2026-01-01T01:00:00Z");
    }

    @Test
    void optionNamesTheAlarmThatWasSeen() {
        server.on(
                "POST /api/v1/alarms/acknowledgements",
                FakeControlServer.problem(409, "{\"status\":409,\"detail\":\"The alarm job:1 is over.\"}"));

        CommandHarness.Result result = CommandHarness.at(server, folder)
                .run("alarms", "--acknowledge", "job:1", "--since", "2026-01-01T00:30:00Z");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("The alarm job:1 is over.");
        assertThat(server.onlyBody().text("since")).isEqualTo("2026-01-01T00:30:00Z");
    }

    @Test
    void alarmThatIsOverIsNotAcknowledged() {
        server.on("GET /api/v1/alarms", PlannedResponse.json(200, "{\"well\":true,\"alarms\":[]}"));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("alarms", "--acknowledge", "job:1");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("there is no alarm 'job:1' now");
        assertThat(server.lines()).containsExactly("GET /api/v1/alarms");
    }
}
