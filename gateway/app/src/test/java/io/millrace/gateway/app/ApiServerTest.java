package io.millrace.gateway.app;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests that share one gateway with its control plane. */
abstract class ApiServerTest {
    @SuppressWarnings("NullAway.Init")
    static ApiServer server;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        server = ApiServer.start(folder);
    }

    @AfterAll
    static void stop() {
        server.close();
    }
}
