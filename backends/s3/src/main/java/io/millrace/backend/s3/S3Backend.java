package io.millrace.backend.s3;

import io.millrace.backend.s3.client.S3Client;
import io.millrace.backend.s3.credentials.CredentialsProbe;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * A backend that stores its objects on one S3 server. Its capabilities are those of the protocol: a server that lacks
 * one refuses the request. That does not hold for conditional writes, see {@link ConditionalWritePolicy}.
 */
final class S3Backend implements Backend {
    private static final Set<Capability> CAPABILITIES = Collections.unmodifiableSet(EnumSet.allOf(Capability.class));

    private final S3Client client;
    private final S3ObjectReader reader;
    private final S3ObjectLister lister;
    private final S3ObjectWriter writer;
    private final S3BatchDeleter deletes;
    private final S3MultipartUploads uploads;
    private final S3UploadLister uploadLister;
    private final S3VersionLister versions;
    private final S3BucketManager buckets;
    private final S3Forwarder forwarder;
    private final CredentialsProbe credentials;

    S3Backend(S3Client client, ConditionalWritePolicy conditions) {
        this.client = client;
        this.reader = new S3ObjectReader(client);
        this.lister = new S3ObjectLister(client);
        this.writer = new S3ObjectWriter(client, conditions);
        this.deletes = new S3BatchDeleter(client, writer);
        this.uploads = new S3MultipartUploads(client, conditions);
        this.uploadLister = new S3UploadLister(client);
        this.versions = new S3VersionLister(client);
        this.buckets = new S3BucketManager(client);
        this.forwarder = new S3Forwarder(client);
        this.credentials = new CredentialsProbe(lister.anyBucket());
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return credentials.explainHeadFailure(reader.head(request));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return credentials.trackRejection(reader.open(request));
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return credentials.trackRejection(lister.list(request));
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return lister.buckets();
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return credentials.explainHeadFailure(lister.bucket(name));
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return credentials.trackRejection(writer.put(object, body));
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return writer.copy(source, target);
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return writer.delete(deletion, headers);
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return deletes.deleteAll(bucket, deletions, headers);
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return uploads.create(object);
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return uploads.put(upload, number, headers, body);
    }

    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return uploads.copy(upload, number, source, range, headers);
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        return uploads.complete(upload, parts, headers, condition);
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return uploads.abort(upload, headers);
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return uploadLister.parts(upload, after, maxParts);
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return uploadLister.uploads(query);
    }

    @Override
    public Mono<VersionPage> listVersions(ListVersionsRequest query) {
        return versions.list(query);
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return buckets.create(bucket);
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return buckets.delete(bucket);
    }

    @Override
    public Mono<ForwardResponse> forward(ForwardRequest request) {
        return forwarder.forward(request);
    }

    @Override
    public Mono<StreamingForwardResponse> forwardRead(ForwardRequest request) {
        return forwarder.read(request);
    }

    @Override
    public Mono<ForwardResponse> forwardWrite(ForwardRequest request, UploadBody body) {
        return forwarder.write(request, body);
    }

    @Override
    public Mono<Void> close() {
        return client.close();
    }
}
