package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.config.DataSize;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.CacheRule;
import io.millrace.gateway.objects.bucket.KeyPattern;
import io.millrace.gateway.objects.testkit.CacheFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Which HEAD requests start a fetch, of what, and how many at once. */
@ExtendWith(BufferLeakExtension.class)
class HeadPrefetchStartTest {
    private static final String KEY = "k/5000";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ComputedBackend computed = new ComputedBackend();
    private final SwitchedBackend backend = new SwitchedBackend(computed);
    private final BucketView view = view();
    private final AtomicInteger failures = new AtomicInteger();

    @SuppressWarnings("NullAway.Init")
    private BlockCache cache;

    @SuppressWarnings("NullAway.Init")
    private HeadPrefetcher prefetcher;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        prefetcher = new HeadPrefetcher(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
    }

    @AfterEach
    void stop() {
        cache.close();
    }

    @Test
    void bucketRangeAndObjectMustAllowIt() {
        ObjectMetadata object = metadata(KEY);
        CacheRule small =
                new CacheRule(KeyPattern.parse("*"), true, Optional.empty(), Optional.of(DataSize.parse("4KiB")));
        BucketView plain = BucketViews.of("bucket", backend, "bucket", "");
        HeadPrefetcher none =
                new HeadPrefetcher(Optional.empty(), ObjectSourceFactory.BACKENDS, InstantSource.system());

        assertThat(prefetcher.isAskedFor(view, range(KEY, 0, 0), object)).isTrue();
        assertThat(prefetcher.isAskedFor(plain, range(KEY, 0, 0), object)).isFalse();
        assertThat(prefetcher.isAskedFor(view, ReadRequest.of(object(KEY)), object))
                .isFalse();
        assertThat(prefetcher.isAskedFor(view, range(KEY, 0, 0).withVersionId("v"), object))
                .isFalse();
        assertThat(prefetcher.isAskedFor(view(small), range(KEY, 0, 0), object)).isFalse();
        assertThat(none.isAskedFor(view, range(KEY, 0, 0), object)).isFalse();
    }

    @Test
    void firstByteStandsForTheWholeObject() {
        assertThat(start(KEY, 0, 0)).contains(new ByteRange(0, 4999));

        awaitResident(KEY, new ByteRange(0, 4999));
        assertThat(computed.asked()).containsExactly("HEAD " + KEY, "GET 0-4999 " + KEY);
        assertThat(failures).hasValue(0);
    }

    @Test
    void anyOtherRangeIsFetchedAlone() {
        String key = "k/3145728";

        assertThat(start(key, 1_048_576, 1_048_577)).contains(new ByteRange(1_048_576, 1_048_577));

        awaitResident(key, new ByteRange(1_048_576, 2_097_151));
        assertThat(computed.asked()).containsExactly("HEAD " + key, "GET 1048576-2097151 " + key);
    }

    @Test
    void failureIsToldAndLeavesRoomForAnother() {
        ObjectMetadata object = metadata(KEY);
        backend.fail(new BackendException(FailureKind.ACCESS_DENIED, "403"));
        for (int i = 1; i <= HeadPrefetcher.MAX_PER_BACKEND + 1; i++) {
            int failed = i;
            assertThat(start(object, 0, 0)).isPresent();
            Polling.until("it is told", () -> failures.get() == failed);
        }
        backend.recover();

        assertThat(start(object, 0, 0)).isPresent();

        awaitResident(KEY, new ByteRange(0, 4999));
    }

    @Test
    void fetchesThatHangAreBounded() {
        List<ObjectMetadata> objects = IntStream.rangeClosed(1, HeadPrefetcher.MAX_PER_BACKEND + 1)
                .mapToObj(size -> metadata("k/" + size))
                .toList();
        ObjectMetadata last = objects.get(HeadPrefetcher.MAX_PER_BACKEND);
        backend.hang();
        objects.subList(0, HeadPrefetcher.MAX_PER_BACKEND)
                .forEach(object -> assertThat(start(object, 0, 0)).isPresent());
        assertThat(failures).hasValue(0);

        assertThat(start(last, 0, 0)).isEmpty();
        assertThat(failures).hasValue(1);
        assertThat(start(objects.get(0), 0, 0)).as("of one under way").isPresent();
        assertThat(failures).hasValue(1);
    }

    private Optional<ByteRange> start(String key, long first, long last) {
        return start(metadata(key), first, last);
    }

    private Optional<ByteRange> start(ObjectMetadata object, long first, long last) {
        String key = object.id().object().key().value();
        return prefetcher.start(
                view,
                range(key, first, last),
                object,
                new ByteRange(first, last),
                TierRequest.NONE,
                failures::incrementAndGet);
    }

    private ObjectMetadata metadata(String key) {
        ObjectId id = ObjectId.current("backend", object(key));
        return Objects.requireNonNull(cache.reader()
                .revalidate(id, false, new BackendObjectSource(view, id))
                .block());
    }

    private void awaitResident(String key, ByteRange range) {
        ObjectId id = ObjectId.current("backend", object(key));
        Polling.until(
                "its bytes are on a disk",
                () -> cache.reader()
                        .find(id)
                        .flatMap(object -> cache.reader().isFullyResident(object, range))
                        .blockOptional()
                        .orElse(false));
    }

    private BucketView view(CacheRule... rules) {
        return BucketViews.prefetchingOnHead(
                BucketViews.of("bucket", backend, "bucket", "", List.of(rules), BucketViews.FRESHNESS));
    }

    private static ReadRequest range(String key, long first, long last) {
        return ReadRequest.of(object(key))
                .withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(first, last)));
    }

    private static ObjectRef object(String key) {
        return new ObjectRef(new BucketName("bucket"), new ObjectKey(key));
    }
}
