package io.millrace.backend.azure;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.config.Secret;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** A storage account to test against. The settings are those of the settings file, with short times. */
record AzureTestAccount(String name, Optional<String> key, Optional<String> sas, URI endpoint) {
    static final String ENDPOINT = "MILLRACE_TEST_AZURE_ENDPOINT";
    static final String REASON = "no Blob service to test against: MILLRACE_TEST_AZURE_ENDPOINT is not set";

    /** The emulator's, which is no secret. */
    static final String EMULATOR = "devstoreaccount1";

    static final String EMULATOR_KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    static AzureTestAccount ofEnvironment() {
        Map<String, String> environment = System.getenv();
        return new AzureTestAccount(
                environment.getOrDefault("MILLRACE_TEST_AZURE_ACCOUNT", EMULATOR),
                Optional.of(environment.getOrDefault("MILLRACE_TEST_AZURE_ACCOUNT_KEY", EMULATOR_KEY)),
                Optional.empty(),
                URI.create(environment.getOrDefault(ENDPOINT, "")));
    }

    /** Returns whether the service under test is an emulator. */
    static boolean isEmulator() {
        return ofEnvironment().name().equals(EMULATOR);
    }

    /** An emulator at this URL. */
    static AzureTestAccount at(URI endpoint) {
        return new AzureTestAccount(EMULATOR, Optional.of(EMULATOR_KEY), Optional.empty(), endpoint);
    }

    AzureTestAccount withSas(String text) {
        return new AzureTestAccount(name, Optional.empty(), Optional.of(text), endpoint);
    }

    AzureTestAccount withoutCredentials() {
        return new AzureTestAccount(name, Optional.empty(), Optional.empty(), endpoint);
    }

    Backend backend() {
        return backend(Map.of());
    }

    Backend backend(Map<String, String> environment) {
        return AzureBackendProvider.create("test", settings(), environment);
    }

    Backend anonymousBackend() {
        AzureBackendSettings settings =
                withoutCredentials().settings(true, Duration.ofSeconds(60), Duration.ofSeconds(60));
        return AzureBackendProvider.create("test", settings, Map.of());
    }

    AzureBackendSettings settings() {
        return settings(Duration.ofSeconds(60), Duration.ofSeconds(60));
    }

    AzureBackendSettings settings(Duration firstByteTimeout, Duration idleTimeout) {
        return settings(false, firstByteTimeout, idleTimeout);
    }

    private AzureBackendSettings settings(boolean anonymous, Duration firstByteTimeout, Duration idleTimeout) {
        return new AzureBackendSettings(
                Optional.of(name),
                key.map(Secret::of),
                sas.map(Secret::of),
                Optional.empty(),
                Optional.of(endpoint),
                anonymous,
                new ConnectionSettings(
                        256,
                        BackendTlsSettings.DEFAULTS,
                        Optional.empty(),
                        Duration.ofSeconds(2),
                        firstByteTimeout,
                        idleTimeout));
    }
}
