package io.millrace.backend.millrace;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.WebPageContract;
import io.millrace.config.Secret;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Runs the contract of pages in a server's place against a backend that is another Millrace. */
class MillraceWebPageTest extends WebPageContract {
    @Override
    protected Backend connect(URI url) {
        Duration soon = Duration.ofSeconds(60);
        return new MillraceBackendProvider()
                .create(
                        "test",
                        new MillraceBackendSettings(
                                url,
                                "tier",
                                Secret.of("secret"),
                                new ConnectionSettings(
                                        64, BackendTlsSettings.DEFAULTS, Optional.empty(), soon, soon, soon)));
    }
}
