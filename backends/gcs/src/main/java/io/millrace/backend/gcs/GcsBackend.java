package io.millrace.backend.gcs;

import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.JoinedBackend;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/** A backend that stores its objects in Google Cloud Storage. */
final class GcsBackend extends JoinedBackend {
    private static final Set<Capability> CAPABILITIES = Collections.unmodifiableSet(EnumSet.of(
            Capability.LIST,
            Capability.WRITE,
            Capability.CONDITIONAL_WRITE,
            Capability.CHECKSUMS,
            Capability.MULTIPART,
            Capability.COPY));

    private static final BackendRemedies REMEDIES = new BackendRemedies(
            "endpoint",
            BackendRemedies.ofServer("endpoint"),
            "Correct the address of what gives the tokens, in credentials-file or GCE_METADATA_HOST, and let this"
                    + " machine connect to it",
            "Check its endpoint and project",
            "Give it storage.buckets.list in the project; reads may work without it",
            "Give it storage.objects.list on this bucket, as the role Storage Object Viewer has; reads may work without"
                    + " it");

    private final GcsClient client;
    private final GcsObjectCopier copier;
    private final GcsMultipartUploads uploads;

    private GcsBackend(GcsClient client, GcsObjectCopier copier, GcsMultipartUploads uploads, Roles roles) {
        super(roles);
        this.client = client;
        this.copier = copier;
        this.uploads = uploads;
    }

    /**
     * @param location of new buckets; the server's default if empty
     */
    static GcsBackend create(GcsClient client, Optional<String> location) {
        StorageJsonApi api = new StorageJsonApi(client);
        CompositeUploadStore store = new CompositeUploadStore(api);
        GcsObjectReader reader = new GcsObjectReader(client, api);
        PartStore parts = new PartStore(api, store);
        GcsMultipartUploads uploads =
                new GcsMultipartUploads(store, parts, new CompositeUploadCompleter(api, store, parts), reader::open);
        Roles roles = Roles.of(
                reader,
                new GcsObjectLister(api),
                new GcsObjectWriter(api),
                uploads,
                new GcsBucketManager(client, api, store, location));
        return new GcsBackend(client, new GcsObjectCopier(api), uploads, roles);
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
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return Mono.defer(() -> {
            HiddenObjectPrefix.requireVisible(source.object());
            return copier.read(source)
                    .flatMap(found -> uploads.copy(upload, number, source.object(), found, range, headers));
        });
    }

    @Override
    public Mono<Void> close() {
        return client.close();
    }
}
