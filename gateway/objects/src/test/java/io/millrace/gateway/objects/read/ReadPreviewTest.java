package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.read.ReadPreview.Next;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** The preview of the next GET matches what that GET does, and sends no request. */
class ReadPreviewTest {
    private static final int MIB = 1 << 20;
    private static final String KEY = "k/" + 3 * MIB;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ComputedBackend backend = new ComputedBackend();
    private final AtomicLong ahead = new AtomicLong();
    private final Instant begin = Instant.now();

    /** Stands still by itself: what takes long here is no older for that. */
    private final InstantSource clock = () -> begin.plusMillis(ahead.get());

    @SuppressWarnings("NullAway.Init")
    private BlockCache cache;

    @SuppressWarnings("NullAway.Init")
    private CurrentObjectFinder objects;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder, "1GiB", clock);
        objects = new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, clock);
    }

    @AfterEach
    void stop() {
        cache.close();
    }

    @Test
    void previewsMissThenPartialThenHitThenRevalidation() throws Exception {
        assertThat(standing(Mode.TTL).next()).isEqualTo(Next.MISS);
        read(Mode.TTL, new ByteRange(0, MIB - 1));
        ReadPreview partly = standing(Mode.TTL);
        assertThat(partly.next()).isEqualTo(Next.PARTIAL);
        assertThat(partly.cachedBlocks()).isBetween(1L, 2L);
        read(Mode.TTL, new ByteRange(0, 3 * MIB - 1));

        ReadPreview here = standing(Mode.TTL);
        assertThat(here.next()).isEqualTo(Next.HIT);
        assertThat(here.cachedBlocks()).isEqualTo(3);
        assertThat(here.cachedBytes()).isEqualTo(3L * MIB);
        assertThat(here.freshMillis().orElseThrow()).isBetween(30_000L, 60_000L);
        ahead.addAndGet(61_000);

        assertThat(standing(Mode.TTL).next()).isEqualTo(Next.REVALIDATE);
        assertThat(standing(Mode.TTL).freshMillis().orElseThrow()).isNegative();
        assertThat(standing(Mode.IMMUTABLE).next()).isEqualTo(Next.HIT);
        assertThat(standing(Mode.IMMUTABLE).freshMillis()).isEmpty();
    }

    @Test
    void strictContentIsRequestedEachTime() throws Exception {
        read(Mode.STRICT, new ByteRange(0, 3 * MIB - 1));

        assertThat(standing(Mode.STRICT).next()).isEqualTo(Next.REVALIDATE);
    }

    @Test
    void previewSendsNoRequest() throws Exception {
        read(Mode.TTL, new ByteRange(0, 3 * MIB - 1));
        int before = backend.asked().size();
        for (Mode mode : Mode.values()) {
            standing(mode);
        }

        assertThat(backend.asked()).hasSize(before);
    }

    /** An event loop must not count a million blocks. */
    @Test
    void countsManyBlocksOnAnotherThread() throws Exception {
        ByteRange few = new ByteRange(0, 99);
        for (String key : List.of(KEY, "huge/" + (1L << 40))) {
            ByteRange all = new ByteRange(0, ComputedBackend.size(key) - 1);
            ObjectRef object = view(Mode.TTL).at(new ObjectKey(key));
            CurrentObject.Cached known = read(object, Mode.TTL, few);
            String here = Thread.currentThread().getName();

            assertThat(threadOf(known.isFullyResident(few))).isEqualTo(here);
            for (Mono<?> look :
                    List.of(known.isFullyResident(all), objects.previewer().preview(view(Mode.TTL), object))) {
                if (key.equals(KEY)) {
                    assertThat(threadOf(look)).isEqualTo(here);
                } else {
                    assertThat(threadOf(look)).startsWith("range-scanner");
                }
            }
            assertThat(known.isFullyResident(few).block()).isTrue();
            assertThat(known.isFullyResident(all).block()).isFalse();
        }
    }

    /** On the threads of timers a fill is told that it may go on, too. */
    @Test
    @Timeout(180)
    void countingHugeObjectsBlocksNoTimerAndIsCancellable() throws Exception {
        ObjectRef object = huge();
        List<Disposable> looks = new ArrayList<>();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            looks.add(objects.previewer().preview(view(Mode.TTL), object).subscribe());
        }

        assertThat(Mono.delay(Duration.ofMillis(10)).block(Duration.ofSeconds(60)))
                .isZero();
        assertThat(isLooking()).as("the timer did not wait for this").isTrue();
        looks.forEach(Disposable::dispose);

        await().pollInterval(Duration.ofMillis(100))
                .atMost(Duration.ofSeconds(60))
                .until(() -> !isLooking());
    }

    @Test
    @Timeout(180)
    void tooManyScansAreRefusedAtOnce() throws Exception {
        ObjectRef object = huge();
        CurrentObject.Cached large =
                read(view(Mode.TTL).at(new ObjectKey("large/" + (1L << 40))), Mode.TTL, new ByteRange(0, 99));
        ByteRange all = new ByteRange(0, (1L << 40) - 1);
        List<Disposable> looks = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            looks.add(objects.previewer().preview(view(Mode.TTL), object).subscribe());
        }

        assertThat(objects.previewer().preview(view(Mode.TTL), object).blockOptional(Duration.ofSeconds(60)))
                .isEmpty();
        assertThat(large.isFullyResident(all).blockOptional(Duration.ofSeconds(60)))
                .isEmpty();
        looks.forEach(Disposable::dispose);

        await().pollInterval(Duration.ofMillis(100))
                .atMost(Duration.ofSeconds(60))
                .until(() -> !large.isFullyResident(all).blockOptional().isEmpty());
        assertThat(large.isFullyResident(all).block()).isFalse();
    }

    /** Of which the first bytes are read. */
    private ObjectRef huge() throws InterruptedException {
        ObjectRef object = view(Mode.TTL).at(new ObjectKey("huge/" + (1L << 50)));
        CurrentObject.Cached unused = read(object, Mode.TTL, new ByteRange(0, 99));
        return object;
    }

    private static boolean isLooking() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread ->
                        thread.getName().startsWith("range-scanner") && thread.getState() == Thread.State.RUNNABLE);
    }

    private static String threadOf(Mono<?> look) {
        return look.map(reported -> Thread.currentThread().getName())
                .blockOptional()
                .orElseThrow();
    }

    @Test
    void reportsARunningWrite() {
        ObjectId id = ObjectId.current("backend", ref(view(Mode.TTL)));
        cache.writeFence().beginWrite(id).block();
        assertThat(standing(Mode.TTL).beingWritten()).isTrue();
        assertThat(standing(Mode.TTL).next()).isEqualTo(Next.MISS);
        cache.writeFence().endWrite(id, true);

        assertThat(standing(Mode.TTL).beingWritten()).isFalse();
    }

    @Test
    void previewsBypassWithoutACache() {
        CurrentObjectFinder none = new CurrentObjectFinder(Optional.empty(), ObjectSourceFactory.BACKENDS, clock);

        assertThat(none.previewer()
                        .preview(view(Mode.TTL), ref(view(Mode.TTL)))
                        .blockOptional()
                        .orElseThrow()
                        .next())
                .isEqualTo(Next.BYPASS);
    }

    @Test
    void outcomeFollowsTheDecisionAndWhatIsHere() throws Exception {
        read(Mode.TTL, new ByteRange(0, 99));
        ObjectMetadata head = standing(Mode.TTL).metadata().orElseThrow();

        assertThat(next(head, FreshnessDecision.SERVE, 3 * MIB)).isEqualTo(Next.HIT);
        assertThat(next(head, FreshnessDecision.SERVE, 3 * MIB - 1)).isEqualTo(Next.PARTIAL);
        assertThat(next(head, FreshnessDecision.SERVE_STALE_WHILE_REVALIDATING, 3 * MIB))
                .isEqualTo(Next.STALE);
        assertThat(next(head, FreshnessDecision.SERVE_STALE_WHILE_REVALIDATING, 0))
                .isEqualTo(Next.REVALIDATE);
        for (FreshnessDecision decision :
                List.of(FreshnessDecision.REVALIDATE, FreshnessDecision.REVALIDATE_STRICTLY, FreshnessDecision.FETCH)) {
            assertThat(next(head, decision, 3 * MIB)).isEqualTo(Next.REVALIDATE);
        }
        assertThat(preview(head, FreshnessDecision.SERVE, 0).cachedBlocks()).isZero();
        assertThat(preview(head, FreshnessDecision.SERVE, MIB).cachedBlocks()).isEqualTo(1);
        assertThat(preview(head, FreshnessDecision.SERVE, MIB + 1).cachedBlocks())
                .as("a last block that is shorter")
                .isEqualTo(2);
    }

    private static Next next(ObjectMetadata head, FreshnessDecision decision, long bytes) {
        return preview(head, decision, bytes).next();
    }

    private static ReadPreview preview(ObjectMetadata head, FreshnessDecision decision, long bytes) {
        return ReadPreview.of(head, bytes, decision, 0, OptionalLong.empty(), false);
    }

    private ReadPreview standing(Mode mode) {
        return objects.previewer()
                .preview(view(mode), ref(view(mode)))
                .blockOptional()
                .orElseThrow();
    }

    private void read(Mode mode, ByteRange range) throws InterruptedException {
        CurrentObject.Cached unused = read(ref(view(mode)), mode, range);
    }

    private CurrentObject.Cached read(ObjectRef object, Mode mode, ByteRange range) throws InterruptedException {
        CurrentObject.Cached current =
                (CurrentObject.Cached) objects.find(view(mode), ReadRequest.of(object), RequestCacheControl.NONE, false)
                        .blockOptional()
                        .orElseThrow();
        current.read(range).doOnNext(ReferenceCountUtil::release).blockLast();
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(60))
                .until(() -> cache.administration().stats().fills() == 0);
        return current;
    }

    private BucketView view(Mode mode) {
        FreshnessSettings rule =
                BucketViews.freshness(mode, Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ZERO);
        return BucketViews.of("bucket", backend, "bucket", "", List.of(), rule);
    }

    private static ObjectRef ref(BucketView view) {
        return view.at(new ObjectKey(KEY));
    }
}
