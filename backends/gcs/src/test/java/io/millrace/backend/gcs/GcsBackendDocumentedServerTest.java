package io.millrace.backend.gcs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;

/** Runs the backend contract against a server that does what the documentation of Google Cloud Storage says. */
class GcsBackendDocumentedServerTest extends GcsContract {
    private @Nullable DocumentedGcsServer server;

    @Override
    TestGcsServer server() throws IOException {
        DocumentedGcsServer started = DocumentedGcsServer.start();
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
