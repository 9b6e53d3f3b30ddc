package io.millrace.backend.millrace;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.ReadFaultContract;
import io.millrace.config.Secret;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Runs the contract of reads from a failing server against a backend that is another Millrace. */
class MillraceReadFaultTest extends ReadFaultContract {
    @Override
    protected Backend connect(URI server, Duration firstByteTimeout, Duration idleTimeout) {
        return new MillraceBackendProvider()
                .create(
                        "test",
                        new MillraceBackendSettings(
                                server,
                                "tier",
                                Secret.of("secret"),
                                new ConnectionSettings(
                                        64,
                                        BackendTlsSettings.DEFAULTS,
                                        Optional.empty(),
                                        Duration.ofSeconds(2),
                                        firstByteTimeout,
                                        idleTimeout)));
    }

    @Override
    protected String[] objectHeaders(int version) {
        return new String[] {
            "ETag: \"%d\"".formatted(version),
            "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT",
            "Cache-Status: millrace; hit"
        };
    }
}
