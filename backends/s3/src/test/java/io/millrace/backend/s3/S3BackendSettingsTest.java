package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.config.Secret;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.binding.SettingsReader;
import io.millrace.config.problem.SettingsException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the names and defaults of the settings, and the errors for values that cannot work. */
class S3BackendSettingsTest {
    @Test
    void namesAndDefaultsAreThese() throws SettingsException {
        assertThat(read(""))
                .isEqualTo(new S3BackendSettings(
                        Optional.empty(),
                        "us-east-1",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        new ConnectionSettings(
                                4096,
                                BackendTlsSettings.DEFAULTS,
                                Optional.empty(),
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(60)),
                        Optional.empty(),
                        false));
        assertThat(read("""
                endpoint: http://127.0.0.1:9000
                region: eu-west-9
                path-style: false
                access-key: A
                secret-key: S
                session-token: T
                max-connections: 7
                connect-timeout: 1s
                first-byte-timeout: 2s
                idle-timeout: 3s
                conditional-writes: [put, complete]
                """))
                .isEqualTo(new S3BackendSettings(
                        Optional.of(URI.create("http://127.0.0.1:9000")),
                        "eu-west-9",
                        Optional.of(false),
                        Optional.of("A"),
                        Optional.of(Secret.of("S")),
                        Optional.of(Secret.of("T")),
                        false,
                        new ConnectionSettings(
                                7,
                                BackendTlsSettings.DEFAULTS,
                                Optional.empty(),
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3)),
                        Optional.of(List.of(ConditionalOperation.PUT, ConditionalOperation.COMPLETE)),
                        false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "access-key: A | secret-key",
                "secret-key: S | access-key",
                "session-token: T | session-token",
                "'anonymous: true\naccess-key: A\nsecret-key: S' | anonymous",
                "region: us east | region",
                "region: x/y | region",
                "max-connections: 0 | max-connections",
                "connect-timeout: 0s | connect-timeout",
                "first-byte-timeout: 48h | first-byte-timeout",
                "'endpoint: http://host/?x=y' | endpoint",
                "'endpoint: http://key:secret@host' | endpoint"
            })
    void refusesWhatCannotWork(String yaml, String key) {
        assertThatThrownBy(() -> read(yaml))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(key)
                .hasMessageNotContaining("key:secret");
    }

    @Test
    void reportsAllProblemsTogether() {
        assertThatThrownBy(() -> read("access-key: A\nregion: a b\nmax-connections: 0"))
                .hasMessageContaining("region")
                .hasMessageContaining("secret-key")
                .hasMessageContaining("max-connections");
    }

    @ParameterizedTest
    @CsvSource({"http://host:9000/, 0", "http://host:9000, 0", "http://host:9000/bucket, 1"})
    void warnsOfPathInEndpoint(String endpoint, int warnings) throws SettingsException {
        assertThat(load("endpoint: " + endpoint).warnings()).hasSize(warnings);
    }

    @Test
    void backendIsMadeWithoutSpeakingToTheServer() throws SettingsException {
        new S3BackendProvider()
                .create("down", read("endpoint: http://127.0.0.1:1"))
                .close()
                .block();
    }

    private static S3BackendSettings read(String yaml) throws SettingsException {
        return load(yaml).settings();
    }

    private static LoadedSettings<S3BackendSettings> load(String yaml) throws SettingsException {
        return new SettingsReader(SettingsVariantRegistry.builder().build(), Map.of())
                .readText(yaml, Path.of("."), S3BackendSettings.class);
    }
}
