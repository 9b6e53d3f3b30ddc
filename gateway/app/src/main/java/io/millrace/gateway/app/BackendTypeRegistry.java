package io.millrace.gateway.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.backend.azure.AzureBackendProvider;
import io.millrace.backend.file.FileBackendProvider;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.backend.gcs.GcsBackendProvider;
import io.millrace.backend.hub.HubBackendProvider;
import io.millrace.backend.millrace.MillraceBackendProvider;
import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.backend.resilience.ResilientBackend;
import io.millrace.backend.s3.S3BackendProvider;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendProvider;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.web.WebBackendProvider;
import io.millrace.config.SettingsVariant;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.gateway.objects.monitor.BackendFailureTracker;
import io.millrace.gateway.objects.monitor.MeteredBackend;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registry of the backend types; creates backends of the settings file. */
public final class BackendTypeRegistry {
    static final String FAMILY = "backend";

    private static final List<BackendProvider<?>> PROVIDERS = List.of(
            new S3BackendProvider(),
            new GcsBackendProvider(),
            new AzureBackendProvider(),
            new WebBackendProvider(),
            new HubBackendProvider(),
            new MillraceBackendProvider(),
            new FileBackendProvider());

    private static final Logger log = LoggerFactory.getLogger(BackendTypeRegistry.class);

    private BackendTypeRegistry() {}

    public static SettingsVariantRegistry variants() {
        SettingsVariantRegistry.Builder variants = SettingsVariantRegistry.builder();
        PROVIDERS.forEach(provider -> variants.add(FAMILY, provider.type(), provider.settingsType()));
        return variants.addShared(FAMILY, SharedBackendSettings.class).build();
    }

    /**
     * Creates a backend of the file, metered and resilient. No request is sent yet.
     *
     * @throws StartException if it cannot be created
     */
    static OpenBackend open(
            String name, SettingsVariant typed, MeterRegistry registry, BackendFailureTracker failures) {
        Optional<Path> missing = missingFolder(typed);
        MeteredBackend metered = new MeteredBackend(name, create(name, typed), registry, failures);
        missing.ifPresent(made -> log.warn(
                "The folder {} of backend '{}' was missing and has been made, empty: clients see no bucket, and may"
                        + " write. If that is not meant, stop Millrace, and mount its disk or correct its path",
                made,
                name));
        ResilientBackend resilient = new ResilientBackend(name, metered, resilience(typed), maxConnections(typed));
        return new OpenBackend(name, typed, resilient, metered);
    }

    /** Returns the folder that a backend of folders will make; empty if it has one, or needs none. */
    private static Optional<Path> missingFolder(SettingsVariant typed) {
        return typed.settings() instanceof FileBackendSettings files && Files.notExists(files.path())
                ? Optional.of(files.path())
                : Optional.empty();
    }

    private static ResilienceSettings resilience(SettingsVariant typed) {
        return typed.shared()
                .map(shared -> ((SharedBackendSettings) shared).resilience())
                .orElse(ResilienceSettings.DEFAULTS);
    }

    /**
     * Requires that {@link #open} could make a backend with these settings.
     *
     * @throws IllegalArgumentException if it could not; the message says what to do
     */
    static void requireUsable(SettingsVariant typed) {
        PROVIDERS.stream()
                .filter(provider -> provider.type().equals(typed.type()))
                .forEach(provider -> requireUsable(provider, typed.settings()));
    }

    /** Returns the names that a backend's buckets have if none there can have this one; empty if one may. */
    static Optional<String> ruleAgainst(SettingsVariant typed, BucketName bucket) {
        return provider(typed).ruleAgainst(bucket);
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

    /** Returns the URL of a backend's server, for an unsigned request; empty for folders, and behind a proxy. */
    public static Optional<URI> endpoint(SettingsVariant typed) {
        return endpoint(provider(typed), typed.settings());
    }

    private static <S extends Record> Optional<URI> endpoint(BackendProvider<S> provider, Record settings) {
        return provider.endpoint(provider.settingsType().cast(settings));
    }

    /** Returns whether requests to a backend carry credentials. */
    public static boolean hasCredentials(SettingsVariant typed) {
        return hasCredentials(provider(typed), typed.settings());
    }

    private static <S extends Record> boolean hasCredentials(BackendProvider<S> provider, Record settings) {
        return provider.hasCredentials(provider.settingsType().cast(settings));
    }

    private static OptionalInt maxConnections(SettingsVariant typed) {
        return maxConnections(provider(typed), typed.settings());
    }

    private static <S extends Record> OptionalInt maxConnections(BackendProvider<S> provider, Record settings) {
        return provider.maxConnections(provider.settingsType().cast(settings));
    }

    private static <S extends Record> void requireUsable(BackendProvider<S> provider, Record settings) {
        provider.requireUsable(provider.settingsType().cast(settings));
    }

    private static Backend create(String name, SettingsVariant typed) {
        return create(provider(typed), name, typed.settings());
    }

    private static BackendProvider<?> provider(SettingsVariant typed) {
        return PROVIDERS.stream()
                .filter(provider -> provider.type().equals(typed.type()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("settings were not checked: no type " + typed.type()));
    }

    private static <S extends Record> Backend create(BackendProvider<S> provider, String name, Record settings) {
        try {
            return provider.create(name, provider.settingsType().cast(settings));
        } catch (IllegalArgumentException | IllegalStateException unusable) {
            throw new StartException("backends." + name + ": " + unusable.getMessage(), unusable);
        }
    }
}
