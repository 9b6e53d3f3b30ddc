package io.millrace.backend.testkit;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.SelectedHead;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;

/**
 * A backend that keeps all in memory: as strict as the contract, and as fast as a test wants. Answers on the caller's thread.
 * Objects get in by {@link #store}; nothing here writes through the interface. Safe for use by any number of threads.
 */
public final class InMemoryBackend implements Backend {
    private final Map<BucketName, MemoryBucket> buckets = new ConcurrentSkipListMap<>();
    private final Set<Capability> capabilities;
    private final AtomicLong versions = new AtomicLong();

    /** One with neither versions nor parts nor checksums, and without a bucket. */
    public InMemoryBackend() {
        this(Set.of());
    }

    /**
     * @param capabilities any of {@link Capability#VERSIONS}, {@link Capability#PARTS} and {@link Capability#CHECKSUMS}
     */
    public InMemoryBackend(Set<Capability> capabilities) {
        this.capabilities = Set.copyOf(capabilities);
    }

    /** Makes a bucket, unless it is there. */
    public InMemoryBackend createBucket(BucketName name) {
        buckets.computeIfAbsent(name, n -> new MemoryBucket(Instant.now(), can(Capability.VERSIONS)));
        return this;
    }

    /** Stores an object, making its bucket if need be; the version it is from now on. */
    public ObjectVersion store(ObjectRef object, byte[] bytes, HeaderList headers) {
        return store(object, StoredObject.of(bytes, headers, Instant.now(), nextVersion()));
    }

    /** Stores what a multipart upload of these parts would leave. */
    public ObjectVersion storeParts(ObjectRef object, List<byte[]> parts) {
        return store(object, StoredObject.ofParts(parts, Instant.now(), nextVersion()));
    }

    /** Deletes an object; with {@link Capability#VERSIONS} the older ones stay. */
    public void remove(ObjectRef object) {
        existing(object.bucket()).remove(object.key());
    }

    @Override
    public Mono<SelectedHead> head(ReadRequest request) {
        return Mono.fromCallable(() -> evaluate(request).toHead());
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return Mono.fromCallable(() -> evaluate(request).toContent());
    }

    @Override
    public Mono<ListPage> list(ListRequest request) {
        return Mono.fromCallable(
                () -> MemoryListing.page(existing(request.bucket()).current(), request));
    }

    @Override
    public Mono<List<BucketInfo>> buckets() {
        return Mono.fromCallable(() -> buckets.entrySet().stream()
                .map(bucket -> info(bucket.getKey(), bucket.getValue()))
                .toList());
    }

    @Override
    public Mono<BucketInfo> bucket(BucketName name) {
        return Mono.fromCallable(() -> info(name, existing(name)));
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

    private ObjectVersion store(ObjectRef object, StoredObject stored) {
        createBucket(object.bucket());
        existing(object.bucket()).store(object.key(), stored);
        return stored.head().version();
    }

    private MemoryBucket existing(BucketName name) {
        MemoryBucket bucket = buckets.get(name);
        if (bucket == null) {
            throw new BackendException(Kind.NO_SUCH_BUCKET, "no bucket " + name + " in memory");
        }
        return bucket;
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
