package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.config.binding.SampleSettings;
import org.junit.jupiter.api.Test;

/** Tests that a type can be registered only once, because a second one would hide the first. */
class SettingsVariantRegistryTest {
    @Test
    void aTypeIsAddedOnce() {
        SettingsVariantRegistry.Builder builder =
                SettingsVariantRegistry.builder().add("backend", "s3", SampleSettings.S3Backend.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.add("backend", "s3", SampleSettings.FileBackend.class));
        assertThat(builder.add("frontend", "s3", SampleSettings.FileBackend.class)
                        .build()
                        .records("frontend"))
                .containsOnlyKeys("s3");
    }

    @Test
    void laterAdditionsDoNotChangeABuiltRegistry() {
        SettingsVariantRegistry.Builder builder =
                SettingsVariantRegistry.builder().add("backend", "s3", SampleSettings.S3Backend.class);
        SettingsVariantRegistry built = builder.build();
        builder.add("backend", "file", SampleSettings.FileBackend.class);
        assertThat(built.records("backend")).containsOnlyKeys("s3");
    }
}
