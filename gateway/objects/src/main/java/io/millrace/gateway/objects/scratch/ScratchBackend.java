package io.millrace.gateway.objects.scratch;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.ScratchStore;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.read.CacheStatus;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.LocalObjectFinder;
import io.millrace.gateway.objects.read.ObjectPart;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.kit.async.ImmediateMono;
import io.millrace.kit.share.Party;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A scratch bucket: a backend of one bucket whose objects are blocks and metadata of the cache, and nothing else. Reads
 * take them from there as they take cached objects of other buckets. Thread-safe.
 */
final class ScratchBackend implements Backend, LocalObjectFinder {
    private static final Set<Capability> CAPABILITIES = Set.of(
            Capability.LIST,
            Capability.WRITE,
            Capability.CONDITIONAL_WRITE,
            Capability.MULTIPART,
            Capability.CHECKSUMS);

    /** Deletions of one request that run at a time. */
    private static final int DELETIONS = 16;

    private final ScratchObjects objects;
    private final ScratchLister lister;
    private final ScratchUploads uploads;
    private final ScratchSweeper sweeper;

    ScratchBackend(ScratchObjects objects) {
        this.objects = objects;
        this.lister = new ScratchLister(objects);
        this.sweeper = new ScratchSweeper(objects);
        this.uploads = new ScratchUploads(objects, sweeper);
    }

    @Override
    public Mono<CurrentObject> find(ReadRequest request, RequestCacheControl client) {
        Mono<ObjectMetadata> found = objects.find(objects.id(request.object()));
        @Nullable ObjectMetadata known = ImmediateMono.valueOf(found);
        try {
            return known == null
                    ? found(found, request).map(there -> current(there, request))
                    : Mono.just(current(known, request));
        } catch (BackendException noSuchPart) {
            return Mono.error(noSuchPart);
        }
    }

    /** There is nobody to ask. */
    @Override
    public Mono<CurrentObject> revalidate(ReadRequest request) {
        return find(request, RequestCacheControl.NONE);
    }

    private CurrentObject current(ObjectMetadata object, ReadRequest request) {
        long age = Math.max(0, objects.clock().millis() - object.fetchedAt());
        return CurrentObject.Cached.of(
                objects.reader(),
                object,
                ScratchStore.source(object.head(), Party.GATEWAY),
                CacheStatus.hit((objects.ttl().toMillis() - age) / 1000, age),
                ObjectPart.ofOnlyPart(request.selection(), object.head()));
    }

    private static Mono<ObjectMetadata> found(Mono<ObjectMetadata> object, ReadRequest request) {
        return object.switchIfEmpty(Mono.error(
                () -> new BackendException(FailureKind.NO_SUCH_KEY, "the scratch bucket has no " + request.object())));
    }

    /** Returns the object of a read by its key. */
    private Mono<ObjectMetadata> find(ReadRequest request) {
        return Mono.defer(() -> {
            requireNoVersion(request.versionId());
            return found(objects.find(objects.id(request.object())), request);
        });
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return find(request).map(object -> ReadDecision.of(request, object.head()));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return Mono.deferContextual(
                context -> find(request).map(object -> content(object, request, TierRequest.from(context))));
    }

    /** @param asker the facts about the request, which whoever subscribes to the body does not know */
    private ObjectContent content(ObjectMetadata object, ReadRequest request, TierRequest asker) {
        HeadResult selected = ReadDecision.of(request, object.head());
        return new ObjectContent(
                selected.head(),
                selected.range(),
                objects.read(object, selected.range()).contextWrite(asker::writeTo));
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return lister.list(request);
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return Mono.defer(() -> {
            ObjectId id = objects.id(object.object());
            HeaderList headers = WriteHeaderPolicy.storable(ScratchObjects.TYPE, object.headers());
            return objects.checkEarly(id, object.condition())
                    .then(objects.write(
                            id, objects.head(ScratchObjects.newTag(0), body.length(), headers), body.pieces()))
                    .doOnNext(sweeper::written)
                    .map(written -> ScratchObjects.withHeaders(
                            written,
                            WriteHeaderPolicy.withChecksumType(
                                    ScratchObjects.withTrailer(headers, body), UploadChecksumSpec.FULL_OBJECT)))
                    .flatMap(written -> publish(objects, written, object.condition()));
        });
    }

    /** Puts what was written in its place, and returns what its client gets. */
    static Mono<WriteResult> publish(ScratchObjects objects, ObjectMetadata written, WriteCondition condition) {
        return objects.store()
                .publish(written, objects.check(written.id().object(), condition))
                .then(Mono.just(result(written)));
    }

    /** Returns what the client gets who has written an object. */
    static WriteResult result(ObjectMetadata written) {
        HeaderList checksums = written.head().headers().where(ChecksumAlgorithm::isHeader);
        return new WriteResult(written.head().eTag(), checksums, Optional.empty());
    }

    /** Deletes an object. A missing key fulfils every condition. */
    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return Mono.defer(() -> {
            refuseUnsupported(headers);
            refuseUnsupported(deletion.conditionHeaders());
            requireNoVersion(deletion.versionId());
            ObjectRef object = deletion.object();
            return objects.store()
                    .remove(
                            objects.id(object),
                            there -> there.filter(objects::isInTime)
                                    .ifPresent(found -> WriteCondition.require(
                                            deletion.condition(),
                                            object,
                                            found.head().eTag())))
                    .then(Mono.just(new DeleteResult(HeaderList.EMPTY)));
        });
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return ObjectWriter.deleteEach(this, deletions, headers, DELETIONS);
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return uploads.create(object);
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return uploads.putPart(upload, number, headers, body);
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        return uploads.complete(upload, parts, headers, condition);
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return Mono.defer(() -> {
            refuseUnsupported(headers);
            return uploads.abort(upload);
        });
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return uploads.listParts(upload, after, maxParts);
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return uploads.list(query);
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return Mono.just(List.of(new BucketInfo(objects.bucket(), Optional.empty())));
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return Mono.fromCallable(() -> {
            objects.requireBucket(name);
            return new BucketInfo(name, Optional.empty());
        });
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return Mono.defer(() -> {
            objects.requireBucket(bucket.name());
            return Mono.error(new BackendException(FailureKind.INVALID_REQUEST, "the bucket is one of the settings")
                    .withS3Error(new S3Error(
                            409,
                            "BucketAlreadyOwnedByYou",
                            "The bucket that you tried to create already exists, and you own it.")));
        });
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        String message = "The bucket is there as long as it is in the settings of the gateway.";
        return Mono.error(() -> new BackendException(FailureKind.UNSUPPORTED, message)
                .withS3Error(new S3Error(501, "NotImplemented", message)));
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Mono<Void> close() {
        return Mono.empty();
    }

    private static void refuseUnsupported(HeaderList headers) {
        HeaderList unused = WriteHeaderPolicy.storable(ScratchObjects.TYPE, headers);
    }

    private static void requireNoVersion(Optional<String> versionId) {
        if (versionId.filter(id -> !id.equals("null")).isPresent()) {
            throw new BackendException(FailureKind.UNSUPPORTED, "scratch buckets keep no versions");
        }
    }
}
