package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.server.PlannedResponse;
import org.junit.jupiter.api.Test;

/** Tests that failed requests are listed in a line each, with what a search in the log needs. */
class ErrorsCommandTest extends FakeControlServerTest {
    @Test
    void listsErrorsWithTheirIds() {
        server.on("GET /api/v1/errors", PlannedResponse.json(200, """
                {"errors":[
                 {"at":"2026-11-27T03:00:00.123456789Z","requestId":"A1","operation":"GetObject","status":503,"outcome":"server_error",
                  "identity":"bob","peer":"10.0.0.1","bucket":"data","key":"a\\u001b[2J","micros":5,
                  "code":"ServiceUnavailable","message":"The backend is away.",
                  "reason":"backend 'far': no connection"},
                 {"at":"2026-11-27T02:00:00Z","requestId":"A0","operation":"GET","status":0,"outcome":"broken","identity":"",
                  "peer":"10.0.0.2","micros":5}]}
                """));

        assertThat(CommandHarness.at(server, folder).run("errors").out().lines())
                .containsExactly(
                        "2026-11-27T03:00:00Z  503 ServiceUnavailable  GetObject  id A1  bob from 10.0.0.1 "
                                + " s3://data/a\\u001b[2J: The backend is away. (backend 'far': no connection)",
                        "2026-11-27T02:00:00Z  none broken  GET  id A0  - from 10.0.0.2  -");
        assertThat(CommandHarness.at(server, folder).run("errors", "--json").out())
                .contains("\"requestId\":\"A1\"");
    }

    @Test
    void saysThatNothingFailed() {
        server.on("GET /api/v1/errors", PlannedResponse.json(200, "{\"errors\":[]}"));

        assertThat(CommandHarness.at(server, folder).run("errors").out()).contains("no request has failed");
    }
}
