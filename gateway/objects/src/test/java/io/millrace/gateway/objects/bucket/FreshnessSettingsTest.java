package io.millrace.gateway.objects.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.testkit.Promise;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.binding.SettingsReader;
import io.millrace.config.problem.SettingsException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mode strict rejects settings that allow responses without revalidation. */
class FreshnessSettingsTest {
    @Promise("R10")
    @ParameterizedTest
    @ValueSource(strings = {"list-ttl", "stale-while-revalidate", "stale-if-error"})
    void strictModeRefusesStaleSettings(String key) throws SettingsException {
        assertThatThrownBy(() -> read("{ mode: strict, %s: 60s }".formatted(key)))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll(key + ": 60s", "has no place under mode strict");
        assertThat(read("{ mode: ttl, %s: 60s }".formatted(key)).mode()).isEqualTo(FreshnessSettings.Mode.TTL);
    }

    @Test
    void strictModeAcceptsZeroDurations() throws SettingsException {
        assertThat(read("{ mode: strict, stale-if-error: 0s, stale-while-revalidate: 0s, list-ttl: 0s }")
                        .mode())
                .isEqualTo(FreshnessSettings.Mode.STRICT);
    }

    private static FreshnessSettings read(String text) throws SettingsException {
        return new SettingsReader(SettingsVariantRegistry.builder().build(), Map.of())
                .readText(text, Path.of(""), FreshnessSettings.class)
                .settings();
    }
}
