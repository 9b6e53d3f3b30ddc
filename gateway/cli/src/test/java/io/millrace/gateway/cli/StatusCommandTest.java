package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.cli.FakeControlServer.CannedResponse;
import io.millrace.gateway.cli.text.JsonCodec;
import io.millrace.gateway.cli.text.JsonObject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the status shows which backend and bucket fail and what to do. */
class StatusCommandTest extends FakeControlServerTest {
    @BeforeEach
    void respond() {
        server.on(
                "GET /api/v1/status",
                CannedResponse.json(200, "{\"version\":\"1\",\"backends\":[\"aws\"],\"saved\":[]}"));
        server.on("GET /api/v1/backends", CannedResponse.json(200, """
                {"backends":[{"name":"aws","state":"rejects","message":"check access-key",
                 "buckets":[{"bucket":"typo","backendBucket":"tpyo","state":"missing","message":"correct its name"}]}]}
                """));
    }

    @Test
    void backendsAndBucketsAreReportedWithWhatToDo() {
        assertThat(CommandHarness.at(server, folder).run("status").out())
                .contains("rejects", "check access-key", "typo", "tpyo", "missing", "correct its name");
    }

    @Test
    void alarmsOfTheGatewayAreReported() {
        server.on(
                "GET /api/v1/status",
                CannedResponse.json(
                        200,
                        "{\"version\":\"1\",\"alarms\":[{\"kind\":\"metadata-store\",\"level\":\"critical\",\"since\":\"2026-01-01T01:00:00Z\",\"message\":\"mend it\"}],\"saved\":[]}"));

        assertThat(CommandHarness.at(server, folder).run("status").out())
                .contains("alarms", "metadata-store", "critical", "2026-01-01T01:00:00Z", "mend it");
    }

    @Test
    void jsonReportsTheSame() {
        JsonObject status = JsonCodec.readObject(
                CommandHarness.at(server, folder).run("status", "--json").out());

        JsonObject backend = status.objects("backends").get(0);
        assertThat(backend.text("state")).isEqualTo("rejects");
        assertThat(backend.objects("buckets").get(0).text("state")).isEqualTo("missing");
    }
}
