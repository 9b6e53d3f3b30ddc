package io.millrace.backend.gcs;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.spi.Backend;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A server to test against. The settings are those of the settings file, with short times. */
record TestGcsServer(URI endpoint, Optional<Path> credentials) {
    static TestGcsServer at(URI endpoint) {
        return new TestGcsServer(endpoint, Optional.empty());
    }

    Backend backend() {
        return new GcsBackendProvider().create("test", settings());
    }

    GcsBackendSettings settings() {
        return settings(Duration.ofSeconds(60), Duration.ofSeconds(60));
    }

    GcsBackendSettings settings(Duration firstByteTimeout, Duration idleTimeout) {
        return new GcsBackendSettings(
                Optional.of("test-project"),
                credentials,
                credentials.isEmpty(),
                endpoint,
                Optional.empty(),
                Optional.empty(),
                new ConnectionSettings(
                        256,
                        BackendTlsSettings.DEFAULTS,
                        Optional.empty(),
                        Duration.ofSeconds(2),
                        firstByteTimeout,
                        idleTimeout));
    }
}
