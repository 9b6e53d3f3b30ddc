package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.BucketWriter.NewBucket;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.SelectedHead;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * One S3 server. Its capabilities are those of the protocol: a server that lacks one says so when it is asked. Not so of conditional
 * writes, see {@link ConditionalWrites}.
 */
final class S3Backend implements Backend {
    private static final Set<Capability> CAPABILITIES = Collections.unmodifiableSet(EnumSet.allOf(Capability.class));

    private final S3Client client;
    private final S3ObjectReader reader;
    private final S3ObjectLister lister;
    private final S3ObjectWriter writer;
    private final S3Deletes deletes;
    private final S3Uploads uploads;
    private final S3UploadLister uploadLister;
    private final S3Versions versions;
    private final S3Buckets buckets;
    private final S3Forwarder forwarder;
    private final CredentialsCheck credentials;

    S3Backend(S3Client client, ConditionalWrites conditions) {
        this.client = client;
        this.reader = new S3ObjectReader(client);
        this.lister = new S3ObjectLister(client);
        this.writer = new S3ObjectWriter(client, conditions);
        this.deletes = new S3Deletes(client, writer);
        this.uploads = new S3Uploads(client, conditions);
        this.uploadLister = new S3UploadLister(client);
        this.versions = new S3Versions(client);
        this.buckets = new S3Buckets(client);
        this.forwarder = new S3Forwarder(client);
        this.credentials = new CredentialsCheck(lister.anyBucket());
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Mono<SelectedHead> head(ReadRequest request) {
        return credentials.explained(reader.head(request));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return credentials.watched(reader.open(request));
    }

    @Override
    public Mono<ListPage> list(ListRequest request) {
        return credentials.watched(lister.list(request));
    }

    @Override
    public Mono<List<BucketInfo>> buckets() {
        return lister.buckets();
    }

    @Override
    public Mono<BucketInfo> bucket(BucketName name) {
        return credentials.explained(lister.bucket(name));
    }

    @Override
    public Mono<Written> put(NewObject object, UploadBody body) {
        return credentials.watched(writer.put(object, body));
    }

    @Override
    public Mono<Written> copy(CopySource source, NewObject target) {
        return writer.copy(source, target);
    }

    @Override
    public Mono<Deleted> delete(Deletion deletion, HeaderList headers) {
        return writer.delete(deletion, headers);
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return deletes.deleteAll(bucket, deletions, headers);
    }

    @Override
    public Mono<Begun> createUpload(NewObject object) {
        return uploads.create(object);
    }

    @Override
    public Mono<StoredPart> putPart(Upload upload, int number, HeaderList headers, UploadBody body) {
        return uploads.put(upload, number, headers, body);
    }

    @Override
    public Mono<StoredPart> copyPart(
            Upload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return uploads.copy(upload, number, source, range, headers);
    }

    @Override
    public Mono<Written> completeUpload(
            Upload upload, List<NamedPart> parts, HeaderList headers, WriteCondition condition) {
        return uploads.complete(upload, parts, headers, condition);
    }

    @Override
    public Mono<Void> abortUpload(Upload upload, HeaderList headers) {
        return uploads.abort(upload, headers);
    }

    @Override
    public Mono<PartPage> listParts(Upload upload, int after, int maxParts) {
        return uploadLister.parts(upload, after, maxParts);
    }

    @Override
    public Mono<UploadPage> listUploads(UploadQuery query) {
        return uploadLister.uploads(query);
    }

    @Override
    public Mono<VersionPage> listVersions(VersionQuery query) {
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
    public Mono<ForwardAnswer> forward(Forwarded request) {
        return forwarder.forward(request);
    }

    @Override
    public Mono<ForwardStream> forwardRead(Forwarded request) {
        return forwarder.read(request);
    }

    @Override
    public Mono<ForwardAnswer> forwardWrite(Forwarded request, UploadBody body) {
        return forwarder.write(request, body);
    }

    @Override
    public Mono<Void> close() {
        return client.close();
    }
}
