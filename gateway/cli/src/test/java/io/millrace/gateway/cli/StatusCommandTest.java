package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.cli.FakeControlServer.CannedResponse;
import io.millrace.gateway.cli.text.JsonCodec;
import io.millrace.gateway.cli.text.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the status shows which backend and bucket fail and what to do. */
class StatusCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private FakeControlServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeControlServer();
        server.on(
                "GET /api/v1/status",
                CannedResponse.json(200, "{\"version\":\"1\",\"backends\":[\"aws\"],\"saved\":[]}"));
        server.on("GET /api/v1/backends", CannedResponse.json(200, """
                {"backends":[{"name":"aws","state":"rejects","message":"check access-key",
                 "buckets":[{"bucket":"typo","backendBucket":"tpyo","state":"missing","message":"correct its name"}]}]}
                """));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void backendsAndBucketsAreReportedWithWhatToDo() {
        assertThat(CommandHarness.at(server, folder).run("status").out())
                .contains("rejects", "check access-key", "typo", "tpyo", "missing", "correct its name");
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
