package io.millrace.gateway.cli;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of commands against a control server of canned responses, a new one for each. */
abstract class FakeControlServerTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    final FakeControlServer server = new FakeControlServer();

    @AfterEach
    void stopServer() {
        server.close();
    }
}
