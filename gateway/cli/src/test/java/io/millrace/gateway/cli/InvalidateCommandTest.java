package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.cli.FakeControlServer.CannedResponse;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the invalidation of a prefix, a bucket and one object. */
class InvalidateCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private FakeControlServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeControlServer();
        server.on("POST /api/v1/invalidations", new CannedResponse(204, "text/plain", ""));
    }

    @AfterEach
    void stop() {
        server.close();
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
