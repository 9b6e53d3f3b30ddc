package io.millrace.backend.spi;

import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** A backend that is joined from its roles, and passes each call to one of them. A subclass overrides what it does itself. */
public abstract class JoinedBackend implements Backend {
    private static final VersionLister NO_VERSIONS = new VersionLister() {};
    private static final RequestForwarder NO_FORWARDER = new RequestForwarder() {};

    private final Roles roles;

    /** The roles of a backend. */
    public record Roles(
            ObjectReader reader,
            ObjectLister lister,
            ObjectWriter writer,
            MultipartUploads uploads,
            BucketManager buckets,
            VersionLister versions,
            RequestForwarder forwarder) {
        /** Returns the roles of a backend that refuses lists of versions and forwarded requests. */
        public static Roles of(
                ObjectReader reader,
                ObjectLister lister,
                ObjectWriter writer,
                MultipartUploads uploads,
                BucketManager buckets) {
            return new Roles(reader, lister, writer, uploads, buckets, NO_VERSIONS, NO_FORWARDER);
        }

        /** Returns the roles of another backend. */
        public static Roles of(Backend backend) {
            return new Roles(backend, backend, backend, backend, backend, backend, backend);
        }
    }

    protected JoinedBackend(Roles roles) {
        this.roles = roles;
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return roles.reader.head(request);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return roles.reader.open(request);
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return roles.lister.listObjects(request);
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return roles.buckets.listBuckets();
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return roles.buckets.headBucket(name);
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return roles.buckets.createBucket(bucket);
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return roles.buckets.deleteBucket(bucket);
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return roles.writer.put(object, body);
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return roles.writer.copy(source, target);
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return roles.writer.delete(deletion, headers);
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return roles.writer.deleteAll(bucket, deletions, headers);
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return roles.uploads.createUpload(object);
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return roles.uploads.putPart(upload, number, headers, body);
    }

    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return roles.uploads.copyPart(upload, number, source, range, headers);
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        return roles.uploads.completeUpload(upload, parts, headers, condition);
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return roles.uploads.abortUpload(upload, headers);
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return roles.uploads.listParts(upload, after, maxParts);
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return roles.uploads.listUploads(query);
    }

    @Override
    public Mono<VersionPage> listVersions(ListVersionsRequest query) {
        return roles.versions.listVersions(query);
    }

    @Override
    public Mono<ForwardResponse> forward(ForwardRequest request) {
        return roles.forwarder.forward(request);
    }

    @Override
    public Mono<StreamingForwardResponse> forwardRead(ForwardRequest request) {
        return roles.forwarder.forwardRead(request);
    }

    @Override
    public Mono<ForwardResponse> forwardWrite(ForwardRequest request, UploadBody body) {
        return roles.forwarder.forwardWrite(request, body);
    }
}
