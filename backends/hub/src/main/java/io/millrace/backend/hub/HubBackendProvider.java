package io.millrace.backend.hub;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendProvider;
import io.millrace.backend.spi.object.BucketName;
import java.util.Optional;
import java.util.OptionalInt;

/** Creates backends of type {@code hub}: the repositories of the Hugging Face Hub, read-only. */
public final class HubBackendProvider implements BackendProvider<HubBackendSettings> {
    @Override
    public String type() {
        return "hub";
    }

    @Override
    public Class<HubBackendSettings> settingsType() {
        return HubBackendSettings.class;
    }

    @Override
    public boolean hasCredentials(HubBackendSettings settings) {
        return settings.token().isPresent();
    }

    @Override
    public Optional<String> ruleAgainst(BucketName bucket) {
        boolean mayBe = RepositoryKind.of(bucket).isPresent() || bucket.equals(HubDocumentReader.BUCKET);
        return mayBe ? Optional.empty() : Optional.of(RepositoryKind.BUCKETS);
    }

    @Override
    public OptionalInt maxConnections(HubBackendSettings settings) {
        return OptionalInt.of(settings.connections().maxConnections());
    }

    @Override
    public Backend create(String name, HubBackendSettings settings) {
        return HubBackend.create(name, settings);
    }
}
