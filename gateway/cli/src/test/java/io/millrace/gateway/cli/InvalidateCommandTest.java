package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.server.PlannedResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the invalidation of a prefix, a bucket and one object. */
class InvalidateCommandTest extends FakeControlServerTest {
    @BeforeEach
    void respond() {
        server.on("POST /api/v1/invalidations", PlannedResponse.of(204));
    }

    @Test
    void errorNamesWhatWillBeFetchedAgain() {
        assertThat(run("s3://data/train/"))
                .isEqualTo("s3://data/train/*: the next read of each object asks the backend");
        assertThat(run("s3://data")).isEqualTo("s3://data: the next read of each object asks the backend");
        assertThat(run("--key", "s3://data/train/1"))
                .isEqualTo("s3://data/train/1: the next read of each object asks the backend");
    }

    @Test
    void aKeyMustBeNamed() {
        assertThat(CommandHarness.at(server, folder)
                        .run("invalidate", "--key", "s3://data")
                        .err())
                .contains("--key: name an object");
    }

    private String run(String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "invalidate";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return CommandHarness.at(server, folder).run(all).out().strip();
    }
}
