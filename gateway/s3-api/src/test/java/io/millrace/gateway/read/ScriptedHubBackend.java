package io.millrace.gateway.read;

import io.millrace.backend.http.AddressRange;
import io.millrace.backend.http.AllowedUrlPattern;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.hub.HubBackendProvider;
import io.millrace.backend.hub.HubBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.ScriptedHub;
import io.millrace.config.Secret;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Backends over a scripted Hub. */
final class ScriptedHubBackend {
    private ScriptedHubBackend() {}

    static Backend of(ScriptedHub hub, Optional<String> token) {
        Duration soon = Duration.ofSeconds(20);
        return new HubBackendProvider()
                .create(
                        "hub",
                        new HubBackendSettings(
                                WebUrl.parse(hub.url()),
                                token.map(Secret::of),
                                Duration.ZERO,
                                List.of(AllowedUrlPattern.parse(hub.storageUrl())),
                                List.of(AddressRange.parse("127.0.0.1")),
                                new ConnectionSettings(
                                        64, BackendTlsSettings.DEFAULTS, Optional.empty(), soon, soon, soon)));
    }
}
