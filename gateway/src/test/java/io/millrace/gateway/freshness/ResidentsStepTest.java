package io.millrace.gateway.freshness;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.TestCache;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Views;
import io.millrace.gateway.freshness.Residents.Residency;
import io.millrace.gateway.freshness.Residents.Step;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps of no time at all are many, and together they find each object once. */
class ResidentsStepTest {
    /** More than are read from a disk at once. */
    private static final int OBJECTS = 1200;

    @Test
    void stepsTogetherFindEachObjectOnce(@TempDir Path folder) throws Exception {
        try (BlockCache cache = TestCache.in(folder)) {
            BucketView view = Views.of("bucket", new ComputedBackend(), "bucket", "");
            CachedObjects objects = new CachedObjects(Optional.of(cache), InstantSource.system());
            for (int i = 0; i < OBJECTS; i++) {
                ReadRequest request = ReadRequest.of(view.at(new ObjectKey("n/%d/100".formatted(i))));
                objects.find(view, request, CacheControl.NONE, false).block(Duration.ofSeconds(10));
            }
            Residents residents = new Residents(cache);
            for (int i = 0; i < 500 && known(residents, view) < OBJECTS; i++) {
                Thread.sleep(20);
            }

            Residency found = Residency.NONE;
            Optional<String> next = Optional.empty();
            double read = 0;
            int steps = 0;
            do {
                Step step = residents
                        .step(view, "n/", next, Duration.ZERO)
                        .blockOptional(Duration.ofSeconds(10))
                        .orElseThrow();
                assertThat(step.read()).isBetween(read, 1.0);
                found = found.plus(step.found());
                next = step.next();
                read = step.read();
                steps++;
            } while (next.isPresent() && steps <= OBJECTS + 1);

            assertThat(steps).isGreaterThan(1);
            assertThat(read).isEqualTo(1);
            assertThat(found).isEqualTo(new Residency(OBJECTS, 100L * OBJECTS, 0, 0));
        }
    }

    private static long known(Residents residents, BucketView view) {
        return residents
                .residency(view, "n/")
                .map(Residency::objects)
                .blockOptional(Duration.ofSeconds(10))
                .orElseThrow();
    }
}
