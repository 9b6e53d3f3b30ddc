package io.millrace.backend.azure;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.ReadFaultContract;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/** Runs the contract of reads from a failing server against an Azure backend. */
class AzureReadFaultTest extends ReadFaultContract {
    @Override
    protected Backend connect(URI server, Duration firstByteTimeout, Duration idleTimeout) {
        return AzureBackendProvider.create(
                "test", AzureTestAccount.at(server).settings(firstByteTimeout, idleTimeout), Map.of());
    }

    @Override
    protected String[] objectHeaders(int version) {
        return new String[] {
            "ETag: \"0x8D%d\"".formatted(version),
            "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT",
            "x-ms-blob-type: BlockBlob",
            "x-ms-request-id: 1"
        };
    }
}
