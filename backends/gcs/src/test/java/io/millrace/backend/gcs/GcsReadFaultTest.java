package io.millrace.backend.gcs;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.ReadFaultContract;
import java.net.URI;
import java.time.Duration;

/** Runs the contract of reads from a failing server against a Google Cloud Storage backend. */
class GcsReadFaultTest extends ReadFaultContract {
    @Override
    protected Backend connect(URI server, Duration firstByteTimeout, Duration idleTimeout) {
        return new GcsBackendProvider()
                .create("test", TestGcsServer.at(server).settings(firstByteTimeout, idleTimeout));
    }

    @Override
    protected String[] objectHeaders(int version) {
        return new String[] {
            "ETag: \"C%d\"".formatted(version),
            "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT",
            "x-goog-generation: %d".formatted(version),
            "x-goog-metageneration: 1",
            "x-goog-stored-content-encoding: identity"
        };
    }
}
