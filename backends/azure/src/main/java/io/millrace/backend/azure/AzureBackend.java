package io.millrace.backend.azure;

import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.JoinedBackend;
import java.time.InstantSource;
import java.util.Set;
import reactor.core.publisher.Mono;

/** A backend that stores its objects in the containers of one storage account. */
final class AzureBackend extends JoinedBackend {
    private static final Set<Capability> CAPABILITIES = Set.of(
            Capability.LIST, Capability.WRITE, Capability.CONDITIONAL_WRITE, Capability.MULTIPART, Capability.COPY);

    private static final BackendRemedies REMEDIES = new BackendRemedies(
            "endpoint",
            BackendRemedies.ofServer("account or endpoint"),
            "Correct the address of what gives the tokens (AZURE_AUTHORITY_HOST, IDENTITY_ENDPOINT), and let this"
                    + " machine connect to it",
            "Check its account and endpoint",
            "To list containers it needs the role Storage Blob Data Reader on the account, or an account SAS that may"
                    + " list; reads may work without it",
            "To see a container it needs the role Storage Blob Data Reader on it, or a SAS that may read and list;"
                    + " reads may work without it");

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
                new BlockMultipartUploads(
                        client,
                        reader,
                        writer,
                        copier,
                        new UploadRecordBlobs(client, clock),
                        new BlockStampGenerator(clock)),
                new ContainerManager(client, lister));
        return new AzureBackend(client, copier, roles);
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public BackendRemedies remedies() {
        return REMEDIES;
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
