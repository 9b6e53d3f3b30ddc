package io.millrace.gateway.app.settings;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.backend.file.FileBackendProvider;
import io.millrace.backend.s3.S3BackendProvider;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendProvider;
import io.millrace.config.SettingsVariant;
import io.millrace.config.SettingsVariants;
import io.millrace.gateway.objects.monitor.BackendFailureTracker;
import io.millrace.gateway.objects.monitor.MeteredBackend;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Registry of the backend types; creates the backends of the operator's file. */
public final class BackendTypes {
    static final String FAMILY = "backend";

    private static final List<BackendProvider<?>> PROVIDERS =
            List.of(new S3BackendProvider(), new FileBackendProvider());

    private static final String THROUGH_S3 = "reach it through its S3-compatible endpoint: type s3";

    private BackendTypes() {}

    public static SettingsVariants variants() {
        SettingsVariants.Builder variants = SettingsVariants.builder();
        PROVIDERS.forEach(provider -> variants.add(FAMILY, provider.type(), provider.settingsType()));
        return variants.addPlanned(FAMILY, "gcs", THROUGH_S3)
                .addPlanned(FAMILY, "azure", "put an S3 gateway in front of it: type s3")
                .addPlanned(FAMILY, "http", "copy the files into a folder: type file")
                .addPlanned(FAMILY, "millrace", THROUGH_S3)
                .build();
    }

    /** Creates the metered backends of the file, by name. No request is sent yet. */
    public static Map<String, Backend> create(
            Map<String, SettingsVariant> settings, MeterRegistry registry, BackendFailureTracker failures) {
        Map<String, Backend> backends = new LinkedHashMap<>();
        settings.forEach(
                (name, typed) -> backends.put(name, new MeteredBackend(name, create(name, typed), registry, failures)));
        return backends;
    }

    /**
     * Requires that {@link #create} could make a backend with these settings.
     *
     * @throws IllegalArgumentException if it could not; the message says what to do
     */
    static void requireUsable(SettingsVariant typed) {
        PROVIDERS.stream()
                .filter(provider -> provider.type().equals(typed.type()))
                .forEach(provider -> requireUsable(provider, typed.settings()));
    }

    /** Creates the backends of the file that can be probed without side effects, by name and without meters. */
    public static Map<String, Backend> createRemote(Map<String, SettingsVariant> settings) {
        Map<String, Backend> backends = new LinkedHashMap<>();
        settings.forEach((name, typed) -> {
            if (PROVIDERS.stream()
                    .anyMatch(provider -> provider.isRemote() && provider.type().equals(typed.type()))) {
                backends.put(name, create(name, typed));
            }
        });
        return backends;
    }

    private static <S extends Record> void requireUsable(BackendProvider<S> provider, Record settings) {
        provider.requireUsable(provider.settingsType().cast(settings));
    }

    private static Backend create(String name, SettingsVariant typed) {
        for (BackendProvider<?> provider : PROVIDERS) {
            if (provider.type().equals(typed.type())) {
                return create(provider, name, typed.settings());
            }
        }
        throw new IllegalStateException("settings were not checked: no type " + typed.type());
    }

    private static <S extends Record> Backend create(BackendProvider<S> provider, String name, Record settings) {
        try {
            return provider.create(name, provider.settingsType().cast(settings));
        } catch (IllegalArgumentException | IllegalStateException unusable) {
            throw new StartException("backends." + name + ": " + unusable.getMessage(), unusable);
        }
    }
}
