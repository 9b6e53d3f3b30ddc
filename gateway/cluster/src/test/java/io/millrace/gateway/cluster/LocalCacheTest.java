package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.gateway.objects.testkit.CacheFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What others announce is forgotten in memory at once, and on the disk when it is said to be durable. */
class LocalCacheTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final InMemoryBackend backend = new InMemoryBackend(Set.of());
    private final BucketView bucket = BucketViews.of(
            "bucket",
            backend,
            "bucket",
            "",
            List.of(),
            new FreshnessSettings(FreshnessSettings.Mode.TTL, LONG, LONG, LONG, Duration.ZERO, Duration.ZERO));
    private final ObjectRef object = bucket.at(new ObjectKey("folder/key"));
    private final BackendBucket place =
            new BackendBucket(bucket.backendName(), bucket.backendBucket().value());

    @SuppressWarnings("NullAway.Init")
    private Optional<BlockCache> cache;

    @SuppressWarnings("NullAway.Init")
    private CurrentObjectFinder objects;

    @SuppressWarnings("NullAway.Init")
    private LocalCache announced;

    @BeforeEach
    void start() throws IOException {
        use(Optional.of(CacheFixture.in(folder)));
        backend.store(object, new byte[1], HeaderList.EMPTY);
    }

    private void use(Optional<BlockCache> opened) {
        cache = opened;
        objects = new CurrentObjectFinder(opened, ObjectSourceFactory.BACKENDS, InstantSource.system());
        announced = new LocalCache(opened, objects.invalidation());
    }

    @AfterEach
    void stop() {
        cache.ifPresent(BlockCache::close);
    }

    @Test
    void writeElsewhereIsSeenAtOnce() {
        warm();

        announced.apply(written(true)).block();

        assertThat(size()).isEqualTo(2);
        assertThat(listed()).isEqualTo(2);
        announced.sync().block();
    }

    @Test
    void announcementWaitsForRoomInTheQueueOfDeletionsAndNotForEver() {
        AtomicInteger busy = new AtomicInteger(3);
        LocalCache.room(() -> busy.getAndDecrement() > 0).block(LONG);
        assertThat(busy).hasValue(-1);

        assertThatThrownBy(() -> LocalCache.room(() -> true).block(LONG)).hasCauseInstanceOf(TimeoutException.class);
    }

    @Test
    void rememberedAbsenceEndsWithAWriteElsewhere() {
        ObjectRef other = bucket.at(new ObjectKey("other"));
        assertThat(exists(other)).isFalse();
        backend.store(other, new byte[1], HeaderList.EMPTY);
        assertThat(exists(other)).isFalse();

        announced
                .apply(new Announcement.Written(List.of(ObjectId.current(bucket.backendName(), other)), true))
                .block();

        assertThat(exists(other)).isTrue();
    }

    @Test
    void unansweredWriteElsewhereKeepsTheObjectOutOfTheCache() {
        warm();

        announced.apply(written(false)).block();
        assertThat(size()).isEqualTo(2);
        backend.store(object, new byte[3], HeaderList.EMPTY);

        assertThat(size()).isEqualTo(3);
        assertThat(listed()).isEqualTo(3);
    }

    @Test
    void syncedDeletionOutlastsARestart() throws IOException {
        warm();
        announced.apply(written(true)).then(announced.sync()).block();

        restart();

        assertThat(size()).isEqualTo(2);
    }

    @Test
    void invalidationElsewhereConcernsWhatIsBelowThePrefix() {
        warm();
        announced
                .apply(new Announcement.Invalidated(
                        new ObjectPrefix(bucket.backendName(), bucket.backendBucket(), "elsewhere/")))
                .block();
        assertThat(size()).isEqualTo(1);

        announced
                .apply(new Announcement.Invalidated(
                        new ObjectPrefix(bucket.backendName(), bucket.backendBucket(), "folder/")))
                .block();

        assertThat(size()).isEqualTo(2);
        assertThat(listed()).isEqualTo(2);
    }

    @Test
    void changeOfABucketElsewhereInvalidatesItsLists() {
        warm();

        announced.apply(new Announcement.BucketChanged(place)).block();

        assertThat(listed()).isEqualTo(2);
    }

    @Test
    void invalidatedBucketIsRevalidatedAfterARestartToo() throws IOException {
        warm();

        announced.invalidate(place).block();

        assertThat(size()).isEqualTo(2);
        assertThat(listed()).isEqualTo(2);
        backend.store(object, new byte[3], HeaderList.EMPTY);
        announced.invalidate(place).block();
        restart();
        assertThat(size()).isEqualTo(3);
    }

    @Test
    void invalidationOfEveryBucketIsRevalidatedAfterARestartToo() throws IOException {
        warm();

        announced.invalidate(BackendBucket.EVERY).block();

        assertThat(size()).isEqualTo(2);
        assertThat(listed()).isEqualTo(2);
        backend.store(object, new byte[3], HeaderList.EMPTY);
        announced.invalidate(BackendBucket.EVERY).block();
        restart();
        assertThat(size()).isEqualTo(3);
    }

    @Test
    void namesThatThisGatewayDoesNotHaveDoNoHarm() {
        warm();
        BackendBucket unknown = new BackendBucket("unknown", "bucket");
        ObjectId there = ObjectId.current("unknown", new ObjectRef(new BucketName("bucket"), object.key()));

        announced
                .apply(new Announcement.Written(List.of(there), true))
                .then(announced.apply(new Announcement.BucketChanged(unknown)))
                .then(announced.invalidate(unknown))
                .then(announced.sync())
                .block();

        assertThat(size()).isEqualTo(1);
    }

    @Test
    void listsAreForgottenWithoutACacheToo() throws IOException {
        stop();
        use(Optional.empty());
        assertThat(listed()).isEqualTo(1);
        backend.store(object, new byte[2], HeaderList.EMPTY);
        assertThat(listed()).isEqualTo(1);

        announced.apply(written(true)).then(announced.sync()).block();
        assertThat(listed()).isEqualTo(2);
        backend.store(object, new byte[3], HeaderList.EMPTY);
        announced.invalidate(place).block();
        assertThat(listed()).isEqualTo(3);
        backend.store(object, new byte[4], HeaderList.EMPTY);
        announced.invalidate(BackendBucket.EVERY).block();
        assertThat(listed()).isEqualTo(4);
    }

    /** Reads and lists the object, and then changes it behind the gateway's back. */
    private void warm() {
        assertThat(size()).isEqualTo(1);
        assertThat(listed()).isEqualTo(1);
        backend.store(object, new byte[2], HeaderList.EMPTY);
        assertThat(size()).isEqualTo(1);
        assertThat(listed()).isEqualTo(1);
    }

    private void restart() throws IOException {
        stop();
        use(Optional.of(CacheFixture.in(folder)));
    }

    private Announcement written(boolean acknowledged) {
        return new Announcement.Written(List.of(ObjectId.current(bucket.backendName(), object)), acknowledged);
    }

    private long size() {
        return ((CurrentObject.Cached) find(object)).metadata().size();
    }

    private boolean exists(ObjectRef wanted) {
        try {
            return find(wanted) instanceof CurrentObject.Cached;
        } catch (BackendException missing) {
            return false;
        }
    }

    private CurrentObject find(ObjectRef wanted) {
        return objects.find(bucket, ReadRequest.of(wanted), RequestCacheControl.NONE, false)
                .blockOptional()
                .orElseThrow();
    }

    private long listed() {
        ListRequest request = new ListRequest(
                bucket.backendBucket(),
                "folder/",
                "",
                new ListRequest.PageStart.FirstKey(),
                ListRequest.MAX_KEYS,
                false);
        return objects.list(bucket, request, RequestCacheControl.NONE)
                .blockOptional()
                .orElseThrow()
                .page()
                .objects()
                .get(0)
                .size();
    }
}
