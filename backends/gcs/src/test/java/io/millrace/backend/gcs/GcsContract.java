package io.millrace.backend.gcs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.CreatedBucketContract;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The contract of backends for Google Cloud Storage, over a server that the test class names. */
abstract class GcsContract extends CreatedBucketContract {
    /** The server, running. */
    abstract TestGcsServer server() throws IOException;

    @Override
    protected Backend connect() throws IOException {
        return server().backend();
    }

    /**
     * Verified by the gateway before it lets the last byte through, and lost with it: the metadata goes before the
     * bytes.
     */
    @Override
    @Test
    public void storesTrailingChecksum() {
        assumeTrue(false, "keeps no checksum that is known only after the bytes");
    }
}
