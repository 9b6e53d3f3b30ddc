package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.ReadFaultContract;
import java.net.URI;
import java.time.Duration;

/** Runs the contract of reads from a failing server against an S3 backend. */
class S3ReadFaultTest extends ReadFaultContract {
    @Override
    protected Backend connect(URI server, Duration firstByteTimeout, Duration idleTimeout) {
        return new S3BackendProvider()
                .create("test", TestS3Server.at(server).settings(64, firstByteTimeout, idleTimeout));
    }

    @Override
    protected String[] objectHeaders(int version) {
        return new String[] {"ETag: \"%d\"".formatted(version), "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT"};
    }
}
