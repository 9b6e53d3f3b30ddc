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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/** The backend with only those capabilities that the server behind it has: they choose the cases of the contract. */
record LimitedBackend(Backend backend, Set<Capability> capabilities) implements Backend {
    @Override
    public Mono<SelectedHead> head(ReadRequest request) {
        return backend.head(request);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return backend.open(request);
    }

    @Override
    public Mono<ListPage> list(ListRequest request) {
        return backend.list(request);
    }

    @Override
    public Mono<List<BucketInfo>> buckets() {
        return backend.buckets();
    }

    @Override
    public Mono<BucketInfo> bucket(BucketName name) {
        return backend.bucket(name);
    }

    @Override
    public Mono<Written> put(NewObject object, UploadBody body) {
        return backend.put(object, body);
    }

    @Override
    public Mono<Written> copy(CopySource source, NewObject target) {
        return backend.copy(source, target);
    }

    @Override
    public Mono<Deleted> delete(Deletion deletion, HeaderList headers) {
        return backend.delete(deletion, headers);
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return backend.deleteAll(bucket, deletions, headers);
    }

    @Override
    public Mono<Begun> createUpload(NewObject object) {
        return backend.createUpload(object);
    }

    @Override
    public Mono<StoredPart> putPart(Upload upload, int number, HeaderList headers, UploadBody body) {
        return backend.putPart(upload, number, headers, body);
    }

    @Override
    public Mono<StoredPart> copyPart(
            Upload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return backend.copyPart(upload, number, source, range, headers);
    }

    @Override
    public Mono<Written> completeUpload(
            Upload upload, List<NamedPart> parts, HeaderList headers, WriteCondition condition) {
        return backend.completeUpload(upload, parts, headers, condition);
    }

    @Override
    public Mono<Void> abortUpload(Upload upload, HeaderList headers) {
        return backend.abortUpload(upload, headers);
    }

    @Override
    public Mono<PartPage> listParts(Upload upload, int after, int maxParts) {
        return backend.listParts(upload, after, maxParts);
    }

    @Override
    public Mono<UploadPage> listUploads(UploadQuery query) {
        return backend.listUploads(query);
    }

    @Override
    public Mono<VersionPage> listVersions(VersionQuery query) {
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
    public Mono<ForwardAnswer> forward(Forwarded request) {
        return backend.forward(request);
    }

    @Override
    public Mono<ForwardStream> forwardRead(Forwarded request) {
        return backend.forwardRead(request);
    }

    @Override
    public Mono<ForwardAnswer> forwardWrite(Forwarded request, UploadBody body) {
        return backend.forwardWrite(request, body);
    }

    @Override
    public Mono<Void> close() {
        return backend.close();
    }
}
