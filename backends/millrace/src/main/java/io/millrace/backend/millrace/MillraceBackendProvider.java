package io.millrace.backend.millrace;

import io.millrace.backend.s3.S3BackendProvider;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendProvider;
import java.net.URI;
import java.util.Optional;
import java.util.OptionalInt;

/** Creates backends of type {@code millrace}: another Millrace, whose objects this one caches again. */
public final class MillraceBackendProvider implements BackendProvider<MillraceBackendSettings> {
    @Override
    public String type() {
        return "millrace";
    }

    @Override
    public Class<MillraceBackendSettings> settingsType() {
        return MillraceBackendSettings.class;
    }

    @Override
    public Optional<URI> endpoint(MillraceBackendSettings settings) {
        return settings.connections().proxy().isPresent() ? Optional.empty() : Optional.of(settings.endpoint());
    }

    @Override
    public OptionalInt maxConnections(MillraceBackendSettings settings) {
        return OptionalInt.of(settings.connections().maxConnections());
    }

    @Override
    public Backend create(String name, MillraceBackendSettings settings) {
        return S3BackendProvider.create(name, settings.toS3(), TierHeaders::addToRequests, TierHeaders::describe);
    }
}
