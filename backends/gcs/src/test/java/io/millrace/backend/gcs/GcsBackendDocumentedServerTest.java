package io.millrace.backend.gcs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;

/** Runs the backend contract against a server that does what the documentation of Google Cloud Storage says. */
class GcsBackendDocumentedServerTest extends GcsContract {
    private @Nullable DocumentedGcsServer server;

    @Override
    TestGcsServer server() {
        DocumentedGcsServer started = new DocumentedGcsServer();
        server = started;
        return TestGcsServer.at(started.uri());
    }

    @AfterAll
    void stop() {
        DocumentedGcsServer started = server;
        if (started != null) {
            started.close();
        }
    }
}
