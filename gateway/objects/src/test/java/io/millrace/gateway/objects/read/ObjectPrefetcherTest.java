package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheReader;
import io.millrace.cache.fill.UncacheableObjectException;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.config.DataSize;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.CacheRule;
import io.millrace.gateway.objects.bucket.KeyPattern;
import io.millrace.gateway.objects.read.ObjectPrefetcher.ListedState;
import io.millrace.gateway.objects.read.ObjectPrefetcher.PrefetchResult;
import io.millrace.gateway.objects.testkit.CacheFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** A prefetch asks for what it needs once, and for nothing that is here. */
@ExtendWith(BufferLeakExtension.class)
class ObjectPrefetcherTest {
    private static final int MIB = 1 << 20;
    private static final String LARGE = "k/" + 3 * MIB;
    private static final String SMALL = "k/5000";
    private static final Optional<RangeSpec> WHOLE = Optional.empty();
    private static final Optional<ListedState> UNLISTED = Optional.empty();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ComputedBackend backend = new ComputedBackend();
    private final AtomicLong ahead = new AtomicLong();
    private final Instant begin = Instant.now();
    private final InstantSource clock = () -> begin.plusMillis(ahead.get());
    private final List<Long> throttled = new CopyOnWriteArrayList<>();
    private final AtomicLong brought = new AtomicLong();
    private final AtomicLong resident = new AtomicLong();

    @SuppressWarnings("NullAway.Init")
    private BlockCache cache;

    @SuppressWarnings("NullAway.Init")
    private ObjectPrefetcher prefetcher;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder, "1GiB", clock);
        prefetcher = new ObjectPrefetcher(cache.reader(), cache.prefetcher(), ObjectSourceFactory.BACKENDS, clock);
    }

    @AfterEach
    void stop() {
        cache.close();
    }

    @Test
    void unknownObjectIsOpenedOnceAndTakenInSteps() {
        backend.pause(Duration.ofMillis(1));

        assertThat(prefetch(LARGE, WHOLE, UNLISTED)).isEqualTo(new PrefetchResult(3 * MIB, 3 * MIB, 3 * MIB));

        assertThat(backend.asked()).containsExactly("GET 0-%d %s".formatted(3 * MIB - 1, LARGE));
        assertThat(throttled).containsExactly((long) MIB, (long) MIB, (long) MIB);
        assertThat(brought).hasValue(3 * MIB);
        assertThat(resident).hasValue(0);
    }

    @Test
    void residentBytesCostNothing() {
        prefetch(LARGE, WHOLE, UNLISTED);
        awaitResident(LARGE);
        backend.asked().clear();
        throttled.clear();

        assertThat(prefetch(LARGE, WHOLE, UNLISTED)).isEqualTo(new PrefetchResult(3 * MIB, 3 * MIB, 0));

        assertThat(backend.asked()).isEmpty();
        assertThat(throttled).isEmpty();
    }

    @Test
    void onlyWhatIsAbsentIsFetched() {
        RangeSpec first = new RangeSpec.Bounded(0, MIB - 1);
        assertThat(prefetch(LARGE, Optional.of(first), UNLISTED)).isEqualTo(new PrefetchResult(3 * MIB, MIB, MIB));
        Polling.until("it is stored", () -> cache.administration().stats().fills() == 0);
        brought.set(0);

        assertThat(prefetch(LARGE, WHOLE, UNLISTED)).isEqualTo(new PrefetchResult(3 * MIB, 3 * MIB, 2 * MIB));

        assertThat(brought).hasValue(2 * MIB);
        assertThat(resident).hasValue(MIB);
        assertThat(backend.sent()).isEqualTo(3 * MIB);
    }

    @Test
    void lastStepMayBeShorter() {
        backend.pause(Duration.ofMillis(1));

        prefetch("k/" + (MIB + 1), WHOLE, UNLISTED);

        assertThat(throttled).containsExactly((long) MIB, 1L);
    }

    @Test
    void emptyObjectHasNoBeginning() {
        assertThat(prefetch("k/0", WHOLE, UNLISTED)).isEqualTo(new PrefetchResult(0, 0, 0));

        assertThat(backend.asked()).containsExactly("HEAD k/0");
    }

    @Test
    void rangeBeyondTheEndIsNothing() {
        prefetch(SMALL, WHOLE, UNLISTED);
        throttled.clear();

        assertThat(prefetch(SMALL, Optional.of(new RangeSpec.OpenEnded(5000)), UNLISTED))
                .isEqualTo(new PrefetchResult(5000, 0, 0));
        assertThat(throttled).isEmpty();
    }

    @Test
    void listedObjectIsOpenedWhole() {
        prefetch(SMALL, WHOLE, listed(5000, "v0"));

        assertThat(backend.asked()).containsExactly("GET " + SMALL);
    }

    /** One request would bring more than a fill takes. */
    @Test
    void veryLargeListedObjectIsNotOpenedWhole() {
        long size = CacheReader.WHOLE_BYTES + 1;
        String key = "k/" + size;
        IllegalStateException enough = new IllegalStateException("the test has seen enough");

        Throwable failure = catchThrowableOfType(
                IllegalStateException.class,
                () -> prefetcher
                        .prefetch(
                                view(),
                                object(key),
                                WHOLE,
                                listed(size, "v0"),
                                MIB,
                                bytes -> Mono.error(enough),
                                (bytes, wasBrought) -> {})
                        .block());

        assertThat(failure).isSameAs(enough);
        assertThat(backend.asked()).containsExactly("HEAD " + key);
    }

    @Test
    void listingSaysWhetherMetadataAreCurrent() {
        prefetch(SMALL, WHOLE, UNLISTED);
        backend.asked().clear();

        ahead.set(61_000);
        prefetch(SMALL, WHOLE, listed(5000, "v0"));
        assertThat(backend.asked()).as("old, but listed as they are").isEmpty();
        prefetch(SMALL, WHOLE, listed(5000, "v1"));
        assertThat(backend.asked()).as("another tag").containsExactly("HEAD " + SMALL);
        prefetch(SMALL, WHOLE, listed(5001, "v0"));
        assertThat(backend.asked()).as("another size").hasSize(2);
        prefetch(SMALL, WHOLE, UNLISTED);
        assertThat(backend.asked()).as("fresh").hasSize(2);
        ahead.set(122_000);
        prefetch(SMALL, WHOLE, UNLISTED);
        assertThat(backend.asked()).as("stale").hasSize(3);
    }

    @Test
    void whatIsNotCachedIsNotFetched() {
        CacheRule never = new CacheRule(KeyPattern.parse("k/*"), false, Optional.empty(), Optional.empty());
        CacheRule small =
                new CacheRule(KeyPattern.parse("*"), true, Optional.empty(), Optional.of(DataSize.parse("4KiB")));

        assertThat(refusal(view(never), SMALL)).hasMessageContaining("by a rule of its bucket");
        assertThat(backend.asked()).isEmpty();
        assertThat(refusal(view(small), SMALL)).hasMessageContaining("by a rule of its bucket");
        cache.reader()
                .revalidate(id(SMALL), false, new BackendObjectSource(view(), id(SMALL)))
                .block();
        assertThat(refusal(view(small), SMALL)).hasMessageContaining("by a rule of its bucket");
        backend.weaken();
        assertThat(refusal(view(), "k/6000")).hasMessageContaining("no strong validator");
    }

    private UncacheableObjectException refusal(BucketView view, String key) {
        UncacheableObjectException refused =
                catchThrowableOfType(UncacheableObjectException.class, () -> prefetch(view, key, WHOLE, UNLISTED));
        assertThat(refused.isTransient()).isFalse();
        return refused;
    }

    private PrefetchResult prefetch(String key, Optional<RangeSpec> range, Optional<ListedState> listed) {
        return prefetch(view(), key, range, listed);
    }

    private PrefetchResult prefetch(
            BucketView view, String key, Optional<RangeSpec> range, Optional<ListedState> listed) {
        return prefetcher
                .prefetch(
                        view,
                        object(key),
                        range,
                        listed,
                        MIB,
                        bytes -> {
                            throttled.add(bytes);
                            return Mono.empty();
                        },
                        (bytes, wasBrought) -> (wasBrought ? brought : resident).addAndGet(bytes))
                .blockOptional(Duration.ofSeconds(60))
                .orElseThrow();
    }

    private void awaitResident(String key) {
        ResidentObjectReader reader =
                new ResidentObjectReader(cache.reader(), ObjectSourceFactory.BACKENDS, clock, CacheLease.ALWAYS);
        Polling.until(
                "its bytes are on a disk",
                () -> reader.head(view(), object(key))
                        .flatMap(head -> reader.isResident(
                                view(), object(key), head.head().version()))
                        .blockOptional()
                        .orElse(false));
    }

    private BucketView view(CacheRule... rules) {
        return BucketViews.of("bucket", backend, "bucket", "", List.of(rules), BucketViews.FRESHNESS);
    }

    private static Optional<ListedState> listed(long size, String tag) {
        return Optional.of(new ListedState(size, Optional.of(ETag.strong(tag))));
    }

    private static ObjectRef object(String key) {
        return new ObjectRef(new BucketName("bucket"), new ObjectKey(key));
    }

    private static ObjectId id(String key) {
        return ObjectId.current("backend", object(key));
    }
}
