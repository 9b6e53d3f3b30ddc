package io.millrace.backend.gcs;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendProvider;
import java.net.URI;
import java.util.Optional;
import java.util.OptionalInt;

/** Creates backends of type {@code gcs}: objects in Google Cloud Storage. */
public final class GcsBackendProvider implements BackendProvider<GcsBackendSettings> {
    @Override
    public String type() {
        return "gcs";
    }

    @Override
    public Class<GcsBackendSettings> settingsType() {
        return GcsBackendSettings.class;
    }

    @Override
    public void requireUsable(GcsBackendSettings settings) {
        GcsCredentials.requireUsable(settings);
    }

    @Override
    public Optional<URI> endpoint(GcsBackendSettings settings) {
        return settings.connections().proxy().isPresent() ? Optional.empty() : Optional.of(settings.endpoint());
    }

    @Override
    public boolean hasCredentials(GcsBackendSettings settings) {
        return !settings.anonymous();
    }

    @Override
    public OptionalInt maxConnections(GcsBackendSettings settings) {
        return OptionalInt.of(settings.connections().maxConnections());
    }

    @Override
    public Backend create(String name, GcsBackendSettings settings) {
        return GcsBackend.create(GcsClient.create(name, settings), settings.location());
    }
}
