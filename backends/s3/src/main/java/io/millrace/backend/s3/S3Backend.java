package io.millrace.backend.s3;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.JoinedBackend;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * A backend that stores its objects on one S3 server. Its capabilities are those of the protocol: a server that lacks
 * one refuses the request. That does not hold for conditional writes, see {@link ConditionalWritePolicy}.
 */
final class S3Backend extends JoinedBackend {
    private static final Set<Capability> CAPABILITIES = Collections.unmodifiableSet(EnumSet.allOf(Capability.class));

    private final S3Client client;
    private final S3BatchDeleter deletes;
    private final CredentialsRejectionDetector credentials;

    private S3Backend(S3Client client, S3BatchDeleter deletes, CredentialsRejectionDetector credentials, Roles roles) {
        super(roles);
        this.client = client;
        this.deletes = deletes;
        this.credentials = credentials;
    }

    static S3Backend create(S3Client client, ConditionalWritePolicy conditions, S3ObjectReader reader) {
        S3ObjectWriter writer = new S3ObjectWriter(client, conditions);
        S3BucketManager buckets = new S3BucketManager(client);
        Roles roles = new Roles(
                reader,
                new S3ObjectLister(client),
                writer,
                new S3MultipartUploads(client, conditions),
                buckets,
                new S3VersionLister(client),
                new S3Forwarder(client));
        return new S3Backend(client, new S3BatchDeleter(client, writer), buckets.credentials(), roles);
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return credentials.explainHeadFailure(super.head(request));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return credentials.trackRejection(super.open(request));
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return credentials.trackRejection(super.listObjects(request));
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return credentials.trackRejection(super.put(object, body));
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return deletes.deleteAll(bucket, deletions, headers);
    }

    @Override
    public Mono<Void> close() {
        return client.close();
    }
}
