package io.millrace.backend.web;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.ReadFaultContract;
import java.net.URI;
import java.time.Duration;

/** Runs the contract of reads from a failing server against a web backend. */
class WebReadFaultTest extends ReadFaultContract {
    @Override
    protected Backend connect(URI server, Duration firstByteTimeout, Duration idleTimeout) {
        return WebSettings.of(server + "/", ListingSource.NONE).backend(true, firstByteTimeout, idleTimeout);
    }

    @Override
    protected String[] objectHeaders(int version) {
        return new String[] {
            "ETag: \"%d\"".formatted(version), "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT", "Accept-Ranges: bytes"
        };
    }
}
