package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.read.CacheResidency.ResidencyTotals;
import io.millrace.gateway.objects.read.CacheResidency.ScanStep;
import io.millrace.gateway.objects.testkit.CacheFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
                        .step(view, "n/", "", 0, next, Duration.ZERO)
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
                    .step(view, "n/", "", 0, Optional.empty(), Duration.ofSeconds(60))
                    .blockOptional(Duration.ofSeconds(60))
                    .orElseThrow();
            assertThat(step.found().all()).isEqualTo(new ResidencyTotals(2, 100, 1, 0));
        }
    }

    private static long known(CacheResidency residents, BucketView view) {
        return residents
                .step(view, "n/", "", 0, Optional.empty(), Duration.ofSeconds(10))
                .map(step -> step.found().all().objects())
                .blockOptional(Duration.ofSeconds(60))
                .orElseThrow();
    }
}
