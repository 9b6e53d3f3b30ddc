package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.server.PlannedResponse;
import org.junit.jupiter.api.Test;

/** Tests that the state of the cluster names the members that need an operator, and scripts can tell by the code. */
class ClusterCommandTest extends FakeControlServerTest {
    private static final String WELL =
            "{\"cluster\":\"prod\",\"node\":\"gw-0\",\"ready\":true,\"leaseHeld\":true,\"placement\":\"shared\","
                    + "\"message\":\"\",\"members\":[%s]}";
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
                        "Member gw-0 of cluster prod: ready, holds all leases, placement shared",
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
    void homesAndRelaysAreShownWithAdvice() {
        server.on("GET /api/v1/cluster", PlannedResponse.json(200, """
                {"cluster":"prod","node":"gw-0","ready":true,"leaseHeld":true,"placement":"shared","homePercent":50.3,
                "copiedBytes":1048576,"message":"","advice":"Write placement: balancer.","members":[{"name":"gw-1",
                "address":"gw-1:7800","state":"heard","silentMillis":310,"missedBuckets":0,"homePercent":49.7,
                "relayedReads":12,"fallbacks":3,"message":""}]}"""));

        CommandHarness.Result shown = CommandHarness.at(server, folder).run("cluster", "status");

        assertThat(shown.code()).as("nothing is wrong").isZero();
        assertThat(shown.out().lines())
                .containsExactly(
                        "Member gw-0 of cluster prod: ready, holds all leases, placement shared",
                        "home of 50.3% of the objects; stored beside their homes: 1.0 MiB",
                        "  Write placement: balancer.",
                        "gw-1         heard        gw-1:7800, heard 310 ms ago",
                        "  home of 49.7% of the objects; served for this member: 12; fallbacks: 3");
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
