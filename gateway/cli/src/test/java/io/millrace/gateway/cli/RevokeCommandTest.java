package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.server.PlannedResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what {@code millrace revoke} sends and prints. */
class RevokeCommandTest extends FakeControlServerTest {
    private static final String ROLE = "{\"target\":\"role\",\"name\":\"trainer\",\"before\":\"2026-11-20T12:00:00Z\"}";

    @Test
    void revokesListsAndLifts() {
        server.on("POST /api/v1/revocations", PlannedResponse.json(200, ROLE));
        server.on("GET /api/v1/revocations", PlannedResponse.json(200, "{\"revocations\":[" + ROLE + "]}"));
        server.on("DELETE /api/v1/revocations?target=session&name=trainer%2Fpod-1", PlannedResponse.of(204));

        assertThat(run("revoke", "role", "trainer", "--before", "2026-11-20T12:00:00Z")
                        .out()
                        .strip())
                .isEqualTo("Revoked: role trainer, issued until 2026-11-20T12:00:00Z");
        assertThat(run("revoke").out().strip()).isEqualTo("role trainer, issued until 2026-11-20T12:00:00Z");
        assertThat(run("revoke", "session", "trainer/pod-1", "--undo").out().strip())
                .isEqualTo("Lifted: session trainer/pod-1");
    }

    @ParameterizedTest
    @CsvSource({
        "revoke role, name the role",
        "revoke all trainer, all has no name",
        "revoke key trainer, must be session",
        "revoke --undo, say what",
        "revoke all --undo --before 2026-11-20T12:00:00Z, not with --undo",
    })
    void wrongUsageIsNotSent(String command, String message) {
        CommandHarness.Result result = run(command.split(" "));
        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains(message);
    }

    private CommandHarness.Result run(String... arguments) {
        return CommandHarness.at(server, folder).run(arguments);
    }
}
