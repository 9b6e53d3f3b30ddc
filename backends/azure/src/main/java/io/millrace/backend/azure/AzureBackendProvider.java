package io.millrace.backend.azure;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendProvider;
import io.millrace.backend.spi.object.BucketName;
import java.net.URI;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Creates backends of type {@code azure}: objects in Azure Blob Storage. */
public final class AzureBackendProvider implements BackendProvider<AzureBackendSettings> {
    static final String TYPE = "azure";

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public Class<AzureBackendSettings> settingsType() {
        return AzureBackendSettings.class;
    }

    @Override
    public Optional<String> ruleAgainst(BucketName bucket) {
        return BlobNameRules.isContainer(bucket) ? Optional.empty() : Optional.of(BlobNameRules.CONTAINER_NAMES);
    }

    @Override
    public Optional<URI> endpoint(AzureBackendSettings settings) {
        return settings.connections().proxy().isPresent()
                ? Optional.empty()
                : Optional.of(StorageAccount.of(settings).endpoint());
    }

    @Override
    public boolean hasCredentials(AzureBackendSettings settings) {
        return !settings.anonymous();
    }

    @Override
    public OptionalInt maxConnections(AzureBackendSettings settings) {
        return OptionalInt.of(settings.connections().maxConnections());
    }

    @Override
    public Backend create(String name, AzureBackendSettings settings) {
        return create(name, settings, System.getenv());
    }

    /** Creates a backend whose identity comes from these variables, if the settings have no credentials. */
    static Backend create(String name, AzureBackendSettings settings, Map<String, String> environment) {
        InstantSource clock = InstantSource.system();
        return AzureBackend.create(BlobClient.create(name, settings, environment, clock), clock);
    }
}
