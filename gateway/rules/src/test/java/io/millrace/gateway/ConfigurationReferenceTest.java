package io.millrace.gateway;

import io.millrace.backend.testkit.GeneratedPage;
import io.millrace.config.binding.SettingsReferenceGenerator;
import io.millrace.gateway.app.BackendTypeRegistry;
import io.millrace.gateway.app.MillraceSettings;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests that the page of all settings is what the code says. */
class ConfigurationReferenceTest {
    @Test
    void pageIsWhatTheCodeSays() throws IOException {
        GeneratedPage.check(
                Path.of("../../docs/configuration.md"),
                page -> SettingsReferenceGenerator.markdown(MillraceSettings.class, BackendTypeRegistry.variants()));
    }
}
