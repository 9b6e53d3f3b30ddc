package io.millrace.backend.s3;

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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/** A backend that declares only the capabilities of its server; they enable cases of the contract tests. */
record LimitedBackend(Backend backend, Set<Capability> capabilities) implements Backend {
    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return backend.head(request);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return backend.open(request);
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return backend.listObjects(request);
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return backend.listBuckets();
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return backend.headBucket(name);
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return backend.put(object, body);
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return backend.copy(source, target);
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return backend.delete(deletion, headers);
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return backend.deleteAll(bucket, deletions, headers);
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return backend.createUpload(object);
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return backend.putPart(upload, number, headers, body);
    }

    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return backend.copyPart(upload, number, source, range, headers);
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        return backend.completeUpload(upload, parts, headers, condition);
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return backend.abortUpload(upload, headers);
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return backend.listParts(upload, after, maxParts);
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return backend.listUploads(query);
    }

    @Override
    public Mono<VersionPage> listVersions(ListVersionsRequest query) {
        return backend.listVersions(query);
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return backend.createBucket(bucket);
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return backend.deleteBucket(bucket);
    }

    @Override
    public Mono<ForwardResponse> forward(ForwardRequest request) {
        return backend.forward(request);
    }

    @Override
    public Mono<StreamingForwardResponse> forwardRead(ForwardRequest request) {
        return backend.forwardRead(request);
    }

    @Override
    public Mono<ForwardResponse> forwardWrite(ForwardRequest request, UploadBody body) {
        return backend.forwardWrite(request, body);
    }

    @Override
    public Mono<Void> close() {
        return backend.close();
    }
}
