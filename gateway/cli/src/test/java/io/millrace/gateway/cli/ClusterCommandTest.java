package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.server.PlannedResponse;
import org.junit.jupiter.api.Test;

/** Tests that the state of the cluster names the members that need an operator, and scripts can tell by the code. */
class ClusterCommandTest extends FakeControlServerTest {
    private static final String WELL =
            "{\"cluster\":\"prod\",\"node\":\"gw-0\",\"ready\":true,\"leaseHeld\":true,\"message\":\"\","
                    + "\"members\":[%s]}";
    private static final String HEARD = "{\"name\":\"gw-1\",\"address\":\"gw-1:7800\",\"state\":\"heard\","
            + "\"silentMillis\":310,\"missedBuckets\":0,\"message\":\"\"}";
    private static final String AWAY =
            "{\"name\":\"gw-2\",\"address\":\"gw-2:7800\",\"state\":\"away\",\"missedBuckets\":3,\"message\":\"gw-2"
                    + " does not respond: start it.\"}";

    @Test
    void membersThatAreHeardAreWell() {
        server.on("GET /api/v1/cluster", PlannedResponse.json(200, WELL.formatted(HEARD)));

        CommandHarness.Result shown = CommandHarness.at(server, folder).run("cluster", "status");

        assertThat(shown.code()).isZero();
        assertThat(shown.out().lines())
                .containsExactly(
                        "Member gw-0 of cluster prod: ready, holds all leases",
                        "gw-1         heard        gw-1:7800, heard 310 ms ago");
    }

    @Test
    void memberThatIsAwayIsReportedWithWhatToDo() {
        server.on("GET /api/v1/cluster", PlannedResponse.json(200, WELL.formatted(HEARD + "," + AWAY)));

        CommandHarness.Result shown = CommandHarness.at(server, folder).run("cluster", "status");

        assertThat(shown.code()).isEqualTo(1);
        assertThat(shown.out().lines())
                .contains(
                        "gw-2         away         gw-2:7800, not heard since the start, has yet to invalidate what it"
                                + " missed (buckets: 3)",
                        "  gw-2 does not respond: start it.");
    }

    @Test
    void jsonReportsTheSame() {
        server.on("GET /api/v1/cluster", PlannedResponse.json(200, WELL.formatted(HEARD)));

        assertThat(CommandHarness.at(server, folder)
                        .run("cluster", "status", "--json")
                        .out())
                .contains("\"state\":\"heard\"", "\"node\":\"gw-0\"");
    }

    @Test
    void clusterAloneSaysWhatItTakes() {
        CommandHarness.Result shown = CommandHarness.at(server, folder).run("cluster");

        assertThat(shown.code()).isEqualTo(2);
        assertThat(shown.err()).contains("Missing required subcommand", "status");
    }
}
