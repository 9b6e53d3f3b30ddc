package io.millrace.backend.spi;

import io.millrace.backend.spi.BackendCall.Operation;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * A backend that is joined from its roles, and passes each call to one of them. A subclass overrides what it does
 * itself.
 */
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

    /**
     * Returns what a call returns, which each method of this class passes through here. A decorator overrides this for
     * what it does around every call.
     *
     * @param result what the role returns, not subscribed to
     */
    protected <T> Mono<T> around(BackendCall call, Mono<T> result) {
        return result;
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return around(BackendCall.of(Operation.HEAD, request.object().bucket()), roles.reader.head(request));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return around(BackendCall.of(Operation.OPEN, request.object().bucket()), roles.reader.open(request));
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return around(BackendCall.of(Operation.LIST, request.bucket()), roles.lister.listObjects(request));
    }

    @Override
    public Mono<Void> probeList(ListRequest request) {
        return around(BackendCall.of(Operation.LIST, request.bucket()), roles.lister.probeList(request));
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return around(new BackendCall(Operation.BUCKETS, Optional.empty()), roles.buckets.listBuckets());
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return around(BackendCall.of(Operation.BUCKET, name), roles.buckets.headBucket(name));
    }

    @Override
    public Mono<String> probe(Optional<BucketName> bucket) {
        Operation operation = bucket.isPresent() ? Operation.BUCKET : Operation.BUCKETS;
        return around(new BackendCall(operation, bucket), roles.buckets.probe(bucket));
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return around(BackendCall.of(Operation.CREATE_BUCKET, bucket.name()), roles.buckets.createBucket(bucket));
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return around(BackendCall.of(Operation.DELETE_BUCKET, bucket), roles.buckets.deleteBucket(bucket));
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return around(BackendCall.of(Operation.PUT, object.object().bucket()), roles.writer.put(object, body));
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return around(BackendCall.of(Operation.COPY, target.object().bucket()), roles.writer.copy(source, target));
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return around(
                BackendCall.of(Operation.DELETE, deletion.object().bucket()), roles.writer.delete(deletion, headers));
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return around(BackendCall.of(Operation.DELETE_ALL, bucket), roles.writer.deleteAll(bucket, deletions, headers));
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return around(
                BackendCall.of(Operation.CREATE_UPLOAD, object.object().bucket()), roles.uploads.createUpload(object));
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return around(
                BackendCall.of(Operation.PUT_PART, upload.object().bucket()),
                roles.uploads.putPart(upload, number, headers, body));
    }

    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return around(
                BackendCall.of(Operation.COPY_PART, upload.object().bucket()),
                roles.uploads.copyPart(upload, number, source, range, headers));
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        return around(
                BackendCall.of(Operation.COMPLETE_UPLOAD, upload.object().bucket()),
                roles.uploads.completeUpload(upload, parts, headers, condition));
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return around(
                BackendCall.of(Operation.ABORT_UPLOAD, upload.object().bucket()),
                roles.uploads.abortUpload(upload, headers));
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return around(
                BackendCall.of(Operation.LIST_PARTS, upload.object().bucket()),
                roles.uploads.listParts(upload, after, maxParts));
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return around(BackendCall.of(Operation.LIST_UPLOADS, query.bucket()), roles.uploads.listUploads(query));
    }

    @Override
    public Mono<VersionPage> listVersions(ListVersionsRequest query) {
        return around(BackendCall.of(Operation.LIST_VERSIONS, query.bucket()), roles.versions.listVersions(query));
    }

    @Override
    public Mono<ForwardResponse> forward(ForwardRequest request) {
        return around(BackendCall.of(Operation.FORWARD, request.bucket()), roles.forwarder.forward(request));
    }

    @Override
    public Mono<StreamingForwardResponse> forwardRead(ForwardRequest request) {
        return around(BackendCall.of(Operation.FORWARD, request.bucket()), roles.forwarder.forwardRead(request));
    }

    @Override
    public Mono<ForwardResponse> forwardWrite(ForwardRequest request, UploadBody body) {
        return around(BackendCall.of(Operation.FORWARD, request.bucket()), roles.forwarder.forwardWrite(request, body));
    }
}
