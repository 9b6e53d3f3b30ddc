package io.millrace.gateway.fuzz;

import io.millrace.backend.spi.Backend;
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
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.fuzz.FuzzRequest.What;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/** A backend that has everything it is asked for, takes everything, keeps nothing, and remembers what it was asked. */
final class RecordingBackend implements Backend {
    private final ByteBufAllocator allocator;
    private final List<FuzzRequest> asked;
    private final Uploaded uploaded;

    /** What a browser's rules are, as it tells them. */
    private String rules = "";

    /**
     * @param asked what it is asked is added there
     * @param uploaded where it stores
     */
    RecordingBackend(ByteBufAllocator allocator, List<FuzzRequest> asked, Uploaded uploaded) {
        this.allocator = allocator;
        this.asked = asked;
        this.uploaded = uploaded;
    }

    void tellRules(String document) {
        rules = document;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return Mono.fromSupplier(() -> {
            asked.add(FuzzRequest.of(What.READ, request.object()));
            return ComputedContent.head(request);
        });
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return Mono.fromSupplier(() -> {
            asked.add(FuzzRequest.of(What.READ, request.object()));
            return ComputedContent.of(request, allocator);
        });
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return listed(request.bucket(), request.prefix(), new ListPage(List.of(), List.of(), Optional.empty()));
    }

    @Override
    public Mono<VersionPage> listVersions(ListVersionsRequest query) {
        return listed(query.bucket(), query.prefix(), new VersionPage(List.of(), List.of(), Optional.empty()));
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return listed(query.bucket(), query.prefix(), new UploadPage(List.of(), List.of(), Optional.empty()));
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return did(
                What.WRITE, upload.object(), new PartPage(List.of(), "STANDARD", HeaderList.EMPTY, Optional.empty()));
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return Mono.just(List.of());
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return did(What.BUCKET, name, new BucketInfo(name, Optional.of(FuzzedGateway.NOW)));
    }

    @Override
    public Mono<Void> createBucket(NewBucket made) {
        return did(What.BUCKET, made.name(), true).then();
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return did(What.BUCKET, bucket, true).then();
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return did(What.WRITE, object.object(), written())
                .flatMap(written -> uploaded.take(body).thenReturn(written));
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return did(What.SOURCE, source.object(), true).then(did(What.WRITE, target.object(), written()));
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return did(What.DELETE, deletion.object(), new DeleteResult(HeaderList.EMPTY));
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return did(
                What.WRITE,
                object.object(),
                new CreatedUpload(new MultipartUpload(object.object(), "id"), HeaderList.EMPTY));
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return did(What.WRITE, upload.object(), part(number))
                .flatMap(part -> uploaded.take(body).thenReturn(part));
    }

    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return did(What.SOURCE, source.object(), true).then(did(What.WRITE, upload.object(), part(number)));
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        return did(What.WRITE, upload.object(), written());
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return did(What.WRITE, upload.object(), true).then();
    }

    @Override
    public Mono<ForwardResponse> forward(ForwardRequest request) {
        boolean cors =
                request.query().stream().anyMatch(parameter -> parameter.name().equals("cors"));
        ByteBuffer response = ByteBuffer.wrap((cors ? rules : "").getBytes(StandardCharsets.ISO_8859_1));
        What what = request.method().equals("GET") ? What.READ : What.WRITE;
        FuzzRequest forwarded = request.key()
                .map(key -> FuzzRequest.of(what, new ObjectRef(request.bucket(), key)))
                .orElseGet(() -> FuzzRequest.of(What.BUCKET, request.bucket()));
        return Mono.fromSupplier(() -> {
            // Browsers ask for the rules of any bucket, and are nobody yet.
            if (!cors) {
                asked.add(forwarded);
            }
            return new ForwardResponse(200, HeaderList.EMPTY, response);
        });
    }

    @Override
    public Mono<Void> close() {
        return Mono.empty();
    }

    private <T> Mono<T> did(What what, ObjectRef object, T response) {
        return Mono.fromSupplier(() -> {
            asked.add(FuzzRequest.of(what, object));
            return response;
        });
    }

    private <T> Mono<T> did(What what, BucketName bucket, T response) {
        return Mono.fromSupplier(() -> {
            asked.add(FuzzRequest.of(what, bucket));
            return response;
        });
    }

    private <T> Mono<T> listed(BucketName bucket, String prefix, T page) {
        return Mono.fromSupplier(() -> {
            asked.add(new FuzzRequest(What.LIST, bucket.value(), prefix));
            return page;
        });
    }

    private static WriteResult written() {
        return new WriteResult(Optional.of(ComputedContent.TAG), HeaderList.EMPTY, Optional.of(FuzzedGateway.NOW));
    }

    private static StoredPart part(int number) {
        return new StoredPart(number, ComputedContent.TAG, HeaderList.EMPTY, Optional.of(FuzzedGateway.NOW));
    }
}
