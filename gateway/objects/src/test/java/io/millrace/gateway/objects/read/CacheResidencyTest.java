package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheReader;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.residency.QuotaSize;
import io.millrace.cache.residency.ResidencyGroup;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.read.CacheResidency.ResidencyTotals;
import io.millrace.gateway.objects.read.CacheResidency.ResidentObject;
import io.millrace.gateway.objects.read.CacheResidency.ScanStep;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.netty.util.ReferenceCountUtil;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** Scan steps of zero duration are many, and together find each object once. */
class CacheResidencyTest {
    /** More than are read from a disk at once. */
    private static final int OBJECTS = 1200;

    @Test
    void stepsTogetherFindEachObjectOnce(@TempDir Path folder) throws Exception {
        try (BlockCache cache = CacheFixture.in(folder)) {
            BucketView view = BucketViews.of("bucket", new ComputedBackend(), "bucket", "");
            CurrentObjectFinder objects =
                    new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
            for (int i = 0; i < OBJECTS; i++) {
                ReadRequest request = ReadRequest.of(view.at(new ObjectKey("n/%d/100".formatted(i))));
                objects.find(view, request, RequestCacheControl.NONE, false).block(Duration.ofSeconds(60));
            }
            CacheResidency residents = new CacheResidency(cache.reader(), cache.inventory());
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> known(residents, view) >= OBJECTS);

            ResidencyTotals found = ResidencyTotals.NONE;
            Optional<String> next = Optional.empty();
            double read = 0;
            int steps = 0;
            do {
                ScanStep step = residents
                        .step(view, "n/", "", 0, next, Duration.ZERO, any -> true)
                        .blockOptional(Duration.ofSeconds(60))
                        .orElseThrow();
                assertThat(step.read()).isBetween(read, 1.0);
                found = found.plus(step.found().all());
                next = step.next();
                read = step.read();
                steps++;
            } while (next.isPresent() && steps <= OBJECTS + 1);

            assertThat(steps).isGreaterThan(1);
            assertThat(read).isEqualTo(1);
            assertThat(found).isEqualTo(new ResidencyTotals(OBJECTS, 100L * OBJECTS, 0, 0));
        }
    }

    @Test
    void emptyObjectIsCachedWithItsMetadata(@TempDir Path folder) throws Exception {
        try (BlockCache cache = CacheFixture.in(folder)) {
            BucketView view = BucketViews.of("bucket", new ComputedBackend(), "bucket", "");
            CurrentObjectFinder objects =
                    new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
            for (String key : List.of("n/empty/0", "n/unread/100")) {
                ReadRequest request = ReadRequest.of(view.at(new ObjectKey(key)));
                objects.find(view, request, RequestCacheControl.NONE, false).block(Duration.ofSeconds(60));
            }
            CacheResidency residents = new CacheResidency(cache.reader(), cache.inventory());
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> known(residents, view) == 2);

            ScanStep step = residents
                    .step(view, "n/", "", 0, Optional.empty(), Duration.ofSeconds(60), any -> true)
                    .blockOptional(Duration.ofSeconds(60))
                    .orElseThrow();
            assertThat(step.found().all()).isEqualTo(new ResidencyTotals(2, 100, 1, 0));
        }
    }

    @Test
    void objectsHaveTheNamesOfTheirClients(@TempDir Path folder) throws Exception {
        try (BlockCache cache = CacheFixture.in(folder)) {
            BucketView view = BucketViews.of("bucket", new ComputedBackend(), "bucket", "p/");
            CurrentObjectFinder objects =
                    new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
            ReadRequest first = ReadRequest.of(view.at(new ObjectKey("n/a \u00fc/100")));
            ReadRequest second = ReadRequest.of(view.at(new ObjectKey("n/b/200")));
            ReadRequest beside = ReadRequest.of(view.at(new ObjectKey("o/300")));
            for (ReadRequest request : List.of(first, second, second.withVersionId("v7"), beside)) {
                objects.find(view, request, RequestCacheControl.NONE, false).block(Duration.ofSeconds(60));
            }
            CacheResidency residents = new CacheResidency(cache.reader(), cache.inventory());
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> below(residents, view, "", Optional.empty()).size() == 4);

            List<ResidentObject> found = below(residents, view, "n/", Optional.empty());

            assertThat(found)
                    .extracting(
                            one -> one.key().value(),
                            ResidentObject::size,
                            one -> one.metadata().id().versionId())
                    .containsExactly(
                            tuple("n/a \u00fc/100", 100L, Optional.empty()),
                            tuple("n/b/200", 200L, Optional.empty()),
                            tuple("n/b/200", 200L, Optional.of("v7")));
            for (int i = 0; i < 3; i++) {
                assertThat(below(residents, view, "n/", Optional.of(found.get(i).position())))
                        .as("what is behind %s", found.get(i).position())
                        .isEqualTo(found.subList(i + 1, 3));
            }
            assertThat(known(residents, view)).as("without versions").isEqualTo(2);
            assertThat(residents.quota(view)).isEmpty();
            assertThatThrownBy(() -> below(residents, view, "n/", Optional.of("n")))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** For clients of that view its key is empty. */
    @Test
    void keyThatIsTheViewsPrefixIsNotSeen(@TempDir Path folder) throws Exception {
        try (BlockCache cache = CacheFixture.in(folder)) {
            BucketView whole = BucketViews.of("bucket", new ComputedBackend(), "bucket", "");
            BucketView inside = BucketViews.of("bucket", new ComputedBackend(), "bucket", "n/100");
            CurrentObjectFinder objects =
                    new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
            ReadRequest request = ReadRequest.of(whole.at(new ObjectKey("n/100")));
            objects.find(whole, request, RequestCacheControl.NONE, false).block(Duration.ofSeconds(60));
            CacheResidency residents = new CacheResidency(cache.reader(), cache.inventory());
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> below(residents, whole, "", Optional.empty()).size() == 1);

            assertThat(below(residents, inside, "", Optional.empty())).isEmpty();
        }
    }

    @Test
    void evictedObjectIsNoLongerCached(@TempDir Path folder) throws Exception {
        try (BlockCache cache = CacheFixture.in(folder)) {
            BucketView view = BucketViews.of("bucket", new ComputedBackend(), "bucket", "");
            CurrentObjectFinder objects =
                    new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
            ReadRequest request = ReadRequest.of(view.at(new ObjectKey("n/100")));
            CurrentObject.Cached read =
                    (CurrentObject.Cached) objects.find(view, request, RequestCacheControl.NONE, true)
                            .blockOptional(Duration.ofSeconds(60))
                            .orElseThrow();
            read.read(new ByteRange(0, 99))
                    .doOnNext(ReferenceCountUtil::release)
                    .contextWrite(context -> context.put(CacheReader.BUFFERS_ONLY, true))
                    .blockLast(Duration.ofSeconds(60));
            CacheResidency residents = new CacheResidency(cache.reader(), cache.inventory());
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> residents.cachedBytes(read.metadata()) == 100);
            ObjectMetadata found = residents
                    .find(view, request.object(), Optional.empty())
                    .blockOptional(Duration.ofSeconds(60))
                    .orElseThrow();
            assertThat(residents.find(view, request.object(), Optional.of("v7")).blockOptional(Duration.ofSeconds(60)))
                    .isEmpty();

            assertThat(residents.evict(found)).isEqualTo(100);

            assertThat(residents.cachedBytes(found)).isZero();
            assertThat(residents.find(view, request.object(), Optional.empty()).blockOptional(Duration.ofSeconds(60)))
                    .isEmpty();
        }
    }

    @Test
    void stepHasTheFoldersBelowItsPrefix(@TempDir Path folder) throws Exception {
        try (BlockCache cache = CacheFixture.in(folder)) {
            BucketView view = BucketViews.of("bucket", new ComputedBackend(), "bucket", "");
            CurrentObjectFinder objects =
                    new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
            for (String key : List.of("n/a/100", "n/a/200", "n/b/300", "n/c/400")) {
                ReadRequest request = ReadRequest.of(view.at(new ObjectKey(key)));
                objects.find(view, request, RequestCacheControl.NONE, false).block(Duration.ofSeconds(60));
            }
            CacheResidency residents = new CacheResidency(cache.reader(), cache.inventory());
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> known(residents, view) == 4);

            ScanStep step = residents
                    .step(view, "n/", "/", 2, Optional.empty(), Duration.ofSeconds(60), any -> true)
                    .blockOptional(Duration.ofSeconds(60))
                    .orElseThrow();

            assertThat(step.found().children())
                    .containsOnlyKeys("n/a/", "n/b/")
                    .containsEntry("n/a/", new ResidencyTotals(2, 300, 0, 0));
            assertThat(step.found().others()).isEqualTo(new ResidencyTotals(1, 400, 0, 0));
        }
    }

    /** Each is of a version, which names how it was made. */
    @Test
    void resultsOfATransformAreCounted(@TempDir Path folder) throws Exception {
        try (BlockCache cache = CacheFixture.in(folder)) {
            BucketView plain = BucketViews.of("made", new ComputedBackend(), "made", "");
            BucketView view = new BucketView(
                    plain.name(),
                    BucketViews.transformed("made", "bucket", "thumb", ""),
                    plain.backend(),
                    plain.savings());
            CurrentObjectFinder objects =
                    new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
            ReadRequest request = ReadRequest.of(view.at(new ObjectKey("n/a/100")));
            for (String making : List.of("old", "new")) {
                objects.find(view, request.withVersionId(making), RequestCacheControl.NONE, false)
                        .block(Duration.ofSeconds(60));
            }
            CacheResidency residents = new CacheResidency(cache.reader(), cache.inventory());

            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> known(residents, view) == 2);
        }
    }

    @Test
    void bucketIsUnknownIfNothingOfItIsStoredAndItsBackendLacksIt(@TempDir Path folder) throws Exception {
        PassingBackend lacking = new PassingBackend(new ComputedBackend()) {
            @Override
            public Mono<BucketInfo> headBucket(BucketName name) {
                return Mono.error(new BackendException(FailureKind.NO_SUCH_BUCKET, "404"));
            }
        };
        BucketView there = BucketViews.of("bucket", new ComputedBackend(), "bucket", "");
        BucketView gone = BucketViews.of("bucket", lacking, "bucket", "");
        try (BlockCache cache = CacheFixture.in(folder)) {
            CacheResidency residents = new CacheResidency(cache.reader(), cache.inventory());
            assertThat(residents.isUnknown(there).block(Duration.ofSeconds(60))).isFalse();
            assertThat(residents.isUnknown(gone).block(Duration.ofSeconds(60))).isTrue();

            new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system())
                    .find(gone, ReadRequest.of(gone.at(new ObjectKey("n/100"))), RequestCacheControl.NONE, false)
                    .block(Duration.ofSeconds(60));

            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> known(residents, gone) == 1);
            assertThat(residents.isUnknown(gone).block(Duration.ofSeconds(60)))
                    .as("something of it is stored")
                    .isFalse();
        }
    }

    @Test
    void quotaIsThatOfTheWholeView(@TempDir Path folder) throws Exception {
        List<ResidencyGroup> groups = List.of(
                ResidencyGroup.of(group("plain", "")),
                new ResidencyGroup(group("bucket", "p/"), Optional.of(QuotaSize.parse("100MiB"))),
                new ResidencyGroup(group("bucket", ""), Optional.of(QuotaSize.parse("200MiB"))));
        try (BlockCache cache = CacheFixture.counting(folder, groups)) {
            CacheResidency residents = new CacheResidency(cache.reader(), cache.inventory());
            ComputedBackend backend = new ComputedBackend();

            assertThat(residents.quota(BucketViews.of("bucket", backend, "bucket", "")))
                    .contains(200L << 20);
            assertThat(residents.quota(BucketViews.of("bucket", backend, "bucket", "p/")))
                    .contains(100L << 20);
            assertThat(residents.quota(BucketViews.of("bucket", backend, "bucket", "q/")))
                    .isEmpty();
            assertThat(residents.quota(BucketViews.of("plain", backend, "plain", "")))
                    .as("counted, without a quota")
                    .isEmpty();
        }
    }

    private static ObjectPrefix group(String bucket, String prefix) {
        return new ObjectPrefix("backend", new BucketName(bucket), prefix);
    }

    private static List<ResidentObject> below(
            CacheResidency residents, BucketView view, String prefix, Optional<String> position) {
        return residents
                .below(view, prefix, position)
                .collectList()
                .blockOptional(Duration.ofSeconds(60))
                .orElseThrow();
    }

    private static long known(CacheResidency residents, BucketView view) {
        return residents
                .step(view, "n/", "", 0, Optional.empty(), Duration.ofSeconds(10), any -> true)
                .map(step -> step.found().all().objects())
                .blockOptional(Duration.ofSeconds(60))
                .orElseThrow();
    }
}
