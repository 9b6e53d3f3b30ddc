package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.binding.SettingsReferenceGenerator;
import io.millrace.gateway.app.settings.BackendTypeRegistry;
import io.millrace.gateway.app.settings.MillraceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Tests that the reference page is up to date. To update it, run
 * {@code ./millrace config reference > docs/configuration.md}.
 */
class ConfigurationReferenceTest {
    @Test
    void thePageIsWhatTheCodeSays() throws IOException {
        assertThat(Files.readString(Path.of("../../docs/configuration.md")))
                .isEqualTo(SettingsReferenceGenerator.markdown(MillraceSettings.class, BackendTypeRegistry.variants()));
    }
}
