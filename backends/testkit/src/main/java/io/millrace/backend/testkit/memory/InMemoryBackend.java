package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;

/**
 * A backend that keeps objects in memory, strictly by the contract. Responds on the caller's thread. Objects are stored
 * by {@link #store} and, with the capability, through the interface. Thread-safe.
 */
public final class InMemoryBackend implements Backend {
    /** As clients are told it, of a header that is not supported. */
    static final String TYPE = "memory";

    private final Map<BucketName, MemoryBucket> buckets = new ConcurrentSkipListMap<>();
    private final Set<Capability> capabilities;
    private final AtomicLong versions = new AtomicLong();
    private final MemoryWriter writes = new MemoryWriter(this::existing, this::nextVersion);
    private final MemoryUploadStore uploads = new MemoryUploadStore(writes, this::nextVersion);

    /** Creates a read-only backend without buckets, versions, parts and checksums. */
    public InMemoryBackend() {
        this(Set.of());
    }

    /**
     * Creates a backend that also lists.
     *
     * @param capabilities any that need no {@code forward}; what writes also honours conditions
     */
    public InMemoryBackend(Set<Capability> capabilities) {
        this(capabilities, true);
    }

    private InMemoryBackend(Set<Capability> capabilities, boolean lists) {
        EnumSet<Capability> all = EnumSet.noneOf(Capability.class);
        all.addAll(capabilities);
        if (lists) {
            all.add(Capability.LIST);
        }
        this.capabilities = Collections.unmodifiableSet(all);
    }

    /** Returns a read-only backend that does not list, as a web server may not. */
    public static InMemoryBackend withoutListing() {
        return new InMemoryBackend(Set.of(), false);
    }

    /** Creates a bucket, unless it exists. */
    public InMemoryBackend createBucket(BucketName name) {
        buckets.computeIfAbsent(name, n -> new MemoryBucket(Instant.now(), can(Capability.VERSIONS)));
        return this;
    }

    /** Stores an object, creates its bucket if necessary, and returns the new version. */
    public ObjectVersion store(ObjectRef object, byte[] bytes, HeaderList headers) {
        return store(object, MemoryObject.of(bytes, headers, Instant.now(), nextVersion()));
    }

    /** Stores an object as a multipart upload of these parts would. */
    public ObjectVersion storeParts(ObjectRef object, List<byte[]> parts) {
        return store(object, MemoryObject.ofParts(parts, HeaderList.EMPTY, Instant.now(), nextVersion()));
    }

    /** Deletes an object; with {@link Capability#VERSIONS} older versions stay. */
    public void remove(ObjectRef object) {
        existing(object.bucket()).remove(object.key(), WriteCondition.ALWAYS);
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return Mono.fromCallable(() -> evaluate(request).result());
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return Mono.fromCallable(() -> evaluate(request).toContent());
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return can(Capability.LIST)
                ? Mono.fromCallable(
                        () -> MemoryListing.page(existing(request.bucket()).current(), request))
                : Backend.super.listObjects(request);
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return can(Capability.LIST)
                ? Mono.fromCallable(() -> buckets.entrySet().stream()
                        .map(bucket -> info(bucket.getKey(), bucket.getValue()))
                        .toList())
                : Backend.super.listBuckets();
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return Mono.fromCallable(() -> info(name, existing(name)));
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return can(Capability.WRITE) ? writes.put(object, body) : Backend.super.put(object, body);
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return can(Capability.COPY) ? writes.copy(source, target) : Backend.super.copy(source, target);
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return can(Capability.WRITE) ? writes.delete(deletion, headers) : Backend.super.delete(deletion, headers);
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return can(Capability.MULTIPART)
                ? inBucket(object.object(), () -> uploads.create(object))
                : Backend.super.createUpload(object);
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return can(Capability.MULTIPART)
                ? inBucket(upload.object(), () -> upload)
                        .flatMap(there -> uploads.putPart(there, number, headers, body))
                : Backend.super.putPart(upload, number, headers, body);
    }

    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return can(Capability.MULTIPART) && can(Capability.COPY)
                ? inBucket(upload.object(), () -> uploads.copyPart(upload, number, source, range, headers))
                : Backend.super.copyPart(upload, number, source, range, headers);
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        return can(Capability.MULTIPART)
                ? inBucket(upload.object(), () -> uploads.complete(upload, parts, headers, condition))
                : Backend.super.completeUpload(upload, parts, headers, condition);
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return can(Capability.MULTIPART)
                ? inBucket(upload.object(), () -> upload)
                        .doOnNext(of -> WriteHeaderPolicy.storable(TYPE, headers))
                        .doOnNext(uploads::abort)
                        .then()
                : Backend.super.abortUpload(upload, headers);
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return can(Capability.MULTIPART)
                ? inBucket(upload.object(), () -> uploads.listParts(upload, after, maxParts))
                : Backend.super.listParts(upload, after, maxParts);
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return can(Capability.MULTIPART)
                ? Mono.fromCallable(() -> {
                    existing(query.bucket());
                    return uploads.list(query);
                })
                : Backend.super.listUploads(query);
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return can(Capability.WRITE)
                ? Mono.fromRunnable(() -> {
                    WriteHeaderPolicy.storable(TYPE, bucket.headers());
                    if (!bucket.tags().isEmpty()) {
                        throw new BackendException(FailureKind.UNSUPPORTED, "buckets have no tags here");
                    }
                    MemoryBucket made = new MemoryBucket(Instant.now(), can(Capability.VERSIONS));
                    if (buckets.putIfAbsent(bucket.name(), made) != null) {
                        throw conflict("BucketAlreadyOwnedByYou", "there is a bucket " + bucket.name());
                    }
                })
                : Backend.super.createBucket(bucket);
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return can(Capability.WRITE)
                ? Mono.fromRunnable(() -> {
                    if (!existing(bucket).current().isEmpty()) {
                        throw conflict("BucketNotEmpty", bucket + " holds objects");
                    }
                    buckets.remove(bucket);
                    uploads.removeAll(bucket);
                })
                : Backend.super.deleteBucket(bucket);
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    @Override
    public Mono<Void> close() {
        return Mono.empty();
    }

    private MemoryRead evaluate(ReadRequest request) {
        MemoryBucket bucket = existing(request.object().bucket());
        return MemoryRead.of(request, bucket.find(request.object().key(), request.versionId()), capabilities);
    }

    private ObjectVersion store(ObjectRef object, MemoryObject stored) {
        createBucket(object.bucket());
        existing(object.bucket()).store(object.key(), WriteCondition.ALWAYS, stored);
        return stored.head().version();
    }

    private MemoryBucket existing(BucketName name) {
        MemoryBucket bucket = buckets.get(name);
        if (bucket == null) {
            throw new BackendException(FailureKind.NO_SUCH_BUCKET, "no bucket " + name + " in memory");
        }
        return bucket;
    }

    private <T> Mono<T> inBucket(ObjectRef object, Callable<T> step) {
        return Mono.fromCallable(() -> {
            existing(object.bucket());
            return step.call();
        });
    }

    private static BackendException conflict(String code, String message) {
        return new BackendException(FailureKind.INVALID_REQUEST, message).withS3Error(new S3Error(409, code, message));
    }

    private Optional<String> nextVersion() {
        return can(Capability.VERSIONS) ? Optional.of("v" + versions.incrementAndGet()) : Optional.empty();
    }

    private boolean can(Capability capability) {
        return capabilities.contains(capability);
    }

    private static BucketInfo info(BucketName name, MemoryBucket bucket) {
        return new BucketInfo(name, Optional.of(bucket.created()));
    }
}
