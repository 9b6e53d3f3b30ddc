package io.millrace.backend.gcs;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.WebPageContract;
import java.net.URI;

/** Runs the contract of pages in a server's place against a Google Cloud Storage backend. */
class GcsWebPageTest extends WebPageContract {
    @Override
    protected Backend connect(URI url) {
        return new GcsBackendProvider().create("test", TestGcsServer.at(url).settings());
    }
}
