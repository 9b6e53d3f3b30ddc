package io.millrace.gateway.objects.scratch;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.ResidencyGroupFactory;
import io.millrace.gateway.objects.testkit.CacheFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** A scratch bucket in a cache of one disk, and short methods to use it. */
final class ScratchFixture implements AutoCloseable {
    static final BucketName BUCKET = new BucketName("kv-blocks");
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final BlockCache cache;
    private final BucketSettings settings;
    private final Backend backend;

    private ScratchFixture(BlockCache cache, BucketSettings settings, InstantSource clock) {
        this.cache = cache;
        this.settings = settings;
        this.backend =
                Objects.requireNonNull(ScratchBackends.with(List.of(settings), Map.of(), Optional.of(cache), clock)
                        .get(settings.backend()));
    }

    /** Opens the bucket in a cache in this folder, or opens it again. */
    static ScratchFixture in(Path folder, Duration ttl, String quota, InstantSource clock) throws IOException {
        BucketSettings settings = BucketViews.scratch(BUCKET.value(), ttl, quota);
        return new ScratchFixture(
                CacheFixture.counting(folder, ResidencyGroupFactory.of(List.of(settings))), settings, clock);
    }

    static ScratchFixture in(Path folder) throws IOException {
        return in(folder, Duration.ofHours(1), "512MiB", InstantSource.system());
    }

    BlockCache cache() {
        return cache;
    }

    Backend backend() {
        return backend;
    }

    BucketView view() {
        return new BucketView(
                BUCKET, settings, backend, BucketSavingsRegistry.free().of(settings.backend(), BUCKET));
    }

    /** Returns the bytes of the bucket on disks. */
    long used() {
        return cache.inventory().groups().get(0).bytes();
    }

    /** Returns how many entries there are of its objects, parts and uploads, also of those that nobody finds. */
    int entries() {
        return Stream.of("", "~uploads:")
                .map(place -> new ObjectPrefix(place + settings.backend(), BUCKET, ""))
                .mapToInt(below -> Objects.requireNonNull(cache.scratch()
                                .list(below, Optional.empty(), 1000)
                                .block(TIMEOUT))
                        .size())
                .sum();
    }

    static ObjectRef ref(String key) {
        return new ObjectRef(BUCKET, new ObjectKey(key));
    }

    ObjectId id(String key) {
        return ObjectId.current(settings.backend(), ref(key));
    }

    WriteResult put(String key, byte[] bytes) {
        return put(key, bytes, WriteCondition.ALWAYS);
    }

    WriteResult put(String key, byte[] bytes, WriteCondition condition) {
        return Objects.requireNonNull(
                backend.put(new NewObject(ref(key), HeaderList.EMPTY, condition), UploadBodies.of(bytes))
                        .block(TIMEOUT));
    }

    /** Returns the bytes of an object; empty if there is none. */
    Optional<byte[]> read(String key) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            backend.open(ReadRequest.of(ref(key)))
                    .flatMapMany(content -> content.body())
                    .doOnNext(piece -> bytes.writeBytes(UploadBodies.takeBytes(piece)))
                    .then()
                    .block(TIMEOUT);
        } catch (BackendException failure) {
            if (failure.kind() != FailureKind.NO_SUCH_KEY) {
                throw failure;
            }
            return Optional.empty();
        }
        return Optional.of(bytes.toByteArray());
    }

    List<String> keys() {
        ListRequest all = new ListRequest(BUCKET, "", "", new PageStart.FirstKey(), ListRequest.MAX_KEYS, false);
        return Objects.requireNonNull(backend.listObjects(all).block(TIMEOUT)).objects().stream()
                .map(ListedObject::key)
                .map(ObjectKey::value)
                .toList();
    }

    @Override
    public void close() {
        cache.close();
    }
}
