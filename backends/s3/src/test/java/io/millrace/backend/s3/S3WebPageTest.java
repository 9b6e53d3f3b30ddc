package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.WebPageContract;
import java.net.URI;

/** Runs the contract of pages in a server's place against an S3 backend. */
class S3WebPageTest extends WebPageContract {
    @Override
    protected Backend connect(URI url) {
        return new S3BackendProvider().create("test", TestS3Server.at(url).settings());
    }

    @Override
    protected boolean takesTaggedPagesForObjects() {
        return true;
    }
}
