package io.millrace.backend.azure;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.JoinedBackend;
import java.time.InstantSource;
import java.util.Set;
import reactor.core.publisher.Mono;

/** A backend that stores its objects in the containers of one storage account. */
final class AzureBackend extends JoinedBackend {
    private static final Set<Capability> CAPABILITIES = Set.of(
            Capability.LIST, Capability.WRITE, Capability.CONDITIONAL_WRITE, Capability.MULTIPART, Capability.COPY);

    private final BlobClient client;
    private final BlobCopier copier;

    private AzureBackend(BlobClient client, BlobCopier copier, Roles roles) {
        super(roles);
        this.client = client;
        this.copier = copier;
    }

    static AzureBackend create(BlobClient client, InstantSource clock) {
        BlobReader reader = new BlobReader(client);
        BlobLister lister = new BlobLister(client);
        BlobWriter writer = new BlobWriter(client, reader);
        BlobCopier copier = new BlobCopier(client, reader, writer);
        Roles roles = Roles.of(
                reader,
                lister,
                writer,
                new BlockMultipartUploads(client, reader, writer, copier, clock),
                new ContainerManager(client, lister));
        return new AzureBackend(client, copier, roles);
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return copier.copy(source, target);
    }

    @Override
    public Mono<Void> close() {
        return client.close();
    }
}
