package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.ResidentObjectReader.CachedHead;
import io.millrace.gateway.objects.testkit.CacheFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** Cached metadata that a listing confirms may be used when they are old, but not in strict buckets. */
@ExtendWith(BufferLeakExtension.class)
class ResidentObjectReaderTest {
    private static final ObjectRef OBJECT = new ObjectRef(new BucketName("bucket"), new ObjectKey("a/100"));
    private static final ByteRange ALL = new ByteRange(0, 99);
    private static final ObjectId ID = ObjectId.current("backend", OBJECT);

    @TempDir
    Path folder;

    private final ComputedBackend backend = new ComputedBackend();
    private final AtomicLong ahead = new AtomicLong();
    private final Instant begin = Instant.now();

    /** Stands still by itself: what takes long here is no older for that. */
    private final InstantSource clock = () -> begin.plusMillis(ahead.get());

    private BlockCache cache;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder, "1GiB", clock);
    }

    @AfterEach
    void stop() {
        cache.close();
    }

    @Test
    void oldMetadataAreFreshOnlyIfListed() {
        BucketView bucket = bucket(FreshnessSettings.Mode.TTL);
        cache.reader()
                .revalidate(ID, false, new BackendObjectSource(bucket, ID))
                .block();
        assertThat(head(bucket).fresh()).isTrue();

        ahead.addAndGet(Duration.ofHours(1).toMillis());

        assertThat(head(bucket).fresh()).isFalse();
        assertThat(head(bucket).freshIfListed()).isTrue();
    }

    @Test
    void listingsSettleNothingInStrictBuckets() {
        BucketView bucket = bucket(FreshnessSettings.Mode.STRICT);
        cache.reader()
                .revalidate(ID, false, new BackendObjectSource(bucket, ID))
                .block();

        assertThat(head(bucket).fresh()).isFalse();
        assertThat(head(bucket).freshIfListed()).isFalse();
    }

    /** A copy takes the checksums of its source from them. */
    @Test
    void metadataOfARangeAreNeverFresh() {
        BucketView bucket = bucket(FreshnessSettings.Mode.TTL);

        prefetch(bucket);

        assertThat(head(bucket).fresh()).isFalse();
        assertThat(head(bucket).freshIfListed()).isFalse();
    }

    @Test
    void staleMetadataOfAnInvalidatedBucketAreNotFresh() {
        BucketView bucket = bucket(FreshnessSettings.Mode.TTL);
        cache.reader()
                .revalidate(ID, false, new BackendObjectSource(bucket, ID))
                .block();
        Polling.until(
                "they are stored",
                () -> cache.inventory()
                                .scan(new ObjectPrefix("backend", OBJECT.bucket(), ""), Optional.empty())
                                .count()
                                .blockOptional()
                                .orElse(0L)
                        == 1);

        cache.writeFence().invalidateAll().block();

        CachedHead stale = head(bucket);
        assertThat(stale.fresh()).isFalse();
        assertThat(stale.freshIfListed()).isFalse();
    }

    @Test
    void objectIsResidentWhenAllItsBytesAre() {
        BucketView bucket = bucket(FreshnessSettings.Mode.TTL);
        BackendObjectSource source = new BackendObjectSource(bucket, ID);
        ResidentObjectReader reader =
                new ResidentObjectReader(cache.reader(), ObjectSourceFactory.BACKENDS, clock, CacheLease.ALWAYS);
        cache.reader().revalidate(ID, false, source).block();
        assertThat(reader.isResident(bucket, OBJECT, head(bucket).head().version())
                        .block())
                .isFalse();

        prefetch(bucket);

        Polling.until(
                "its bytes are on a disk",
                () -> Boolean.TRUE.equals(
                        reader.isResident(bucket, OBJECT, head(bucket).head().version())
                                .block()));
    }

    @Test
    void bytesOfAResidentVersionAreReadFromTheCache() {
        BucketView bucket = bucket(FreshnessSettings.Mode.TTL);
        ResidentObjectReader reader =
                new ResidentObjectReader(cache.reader(), ObjectSourceFactory.BACKENDS, clock, CacheLease.ALWAYS);
        ObjectVersion other = ObjectVersion.ofETag(Optional.of(ETag.strong("other")), 100, Optional.empty());
        assertThat(reader.head(bucket, OBJECT).blockOptional()).isEmpty();
        prefetch(bucket);
        ObjectVersion version = head(bucket).head().version();
        Polling.until(
                "its bytes are on a disk",
                () -> reader.bytes(bucket, OBJECT, version, ALL).blockOptional().isPresent());
        backend.asked().clear();

        byte[] bytes = reader.bytes(bucket, OBJECT, version, new ByteRange(10, 19))
                .flatMapMany(body -> body)
                .map(UploadBodies::takeBytes)
                .blockLast();

        assertThat(bytes).isEqualTo(backend.bytes("a/100", 10, 10));
        assertThat(reader.bytes(bucket, OBJECT, other, ALL).blockOptional()).isEmpty();
        assertThat(reader.isResident(bucket, OBJECT, other).block()).isFalse();
        assertThat(backend.asked()).isEmpty();
    }

    @Test
    void emptyObjectIsResident() {
        BucketView bucket = bucket(FreshnessSettings.Mode.TTL);
        ObjectRef empty = new ObjectRef(new BucketName("bucket"), new ObjectKey("a/0"));
        ObjectId id = ObjectId.current("backend", empty);
        cache.reader()
                .revalidate(id, false, new BackendObjectSource(bucket, id))
                .block();
        ResidentObjectReader reader =
                new ResidentObjectReader(cache.reader(), ObjectSourceFactory.BACKENDS, clock, CacheLease.ALWAYS);
        ObjectVersion version = ObjectVersion.ofETag(Optional.of(ETag.strong("v0")), 0, Optional.empty());

        assertThat(reader.isResident(bucket, empty, version).block()).isTrue();
    }

    /** A write under the other key may have changed this one. */
    @Test
    void keyWithAnAliasIsNeverFresh() {
        ObjectRef aliased = new ObjectRef(new BucketName("bucket"), new ObjectKey("a//100"));
        ObjectId id = ObjectId.current("backend", aliased);
        BucketView bucket =
                BucketViews.of("bucket", new SwitchedBackend(backend, Capability.PATH_ALIASES), "bucket", "");
        cache.reader()
                .revalidate(id, false, new BackendObjectSource(bucket, id))
                .block();

        CachedHead head = new ResidentObjectReader(
                        cache.reader(), ObjectSourceFactory.BACKENDS, clock, CacheLease.ALWAYS)
                .head(bucket, aliased)
                .blockOptional()
                .orElseThrow();

        assertThat(head.fresh()).isFalse();
        assertThat(head.freshIfListed()).isFalse();
    }

    private void prefetch(BucketView bucket) {
        new ObjectPrefetcher(cache.reader(), cache.prefetcher(), ObjectSourceFactory.BACKENDS, clock)
                .prefetch(
                        bucket,
                        OBJECT,
                        Optional.empty(),
                        Optional.empty(),
                        1 << 20,
                        bytes -> Mono.empty(),
                        (bytes, brought) -> {})
                .block();
    }

    private CachedHead head(BucketView bucket) {
        return Objects.requireNonNull(
                new ResidentObjectReader(cache.reader(), ObjectSourceFactory.BACKENDS, clock, CacheLease.ALWAYS)
                        .head(bucket, OBJECT)
                        .block());
    }

    private BucketView bucket(FreshnessSettings.Mode mode) {
        return BucketViews.of(
                "bucket",
                backend,
                "bucket",
                "",
                List.of(),
                BucketViews.freshness(mode, Duration.ofMinutes(1), Duration.ZERO, Duration.ZERO));
    }
}
