package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Promise;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Entries fetched together do not expire together, and none outlives its configured lifetime. */
class FreshnessLifetimeTest {
    @Promise("R4")
    @Test
    void lifetimeIsAtMostATenthBelowTheRule() {
        for (long millis : new long[] {
            0, 1, 9, 10, 999, 5_000, 60_000, Duration.ofDays(3650).toMillis()
        }) {
            for (int i = 0; i < 10_000; i++) {
                long fresh = FreshnessLifetime.millis(Duration.ofMillis(millis), ("train/n-" + i).hashCode());
                assertThat(fresh).isBetween(millis - millis / 10, millis);
            }
        }
    }

    @Test
    void theTimesOfNeighboursLieFarApart() {
        List<Long> times = IntStream.range(0, 10_000)
                .mapToObj(i -> FreshnessLifetime.millis(
                        Duration.ofSeconds(60), "train/n-%05d".formatted(i).hashCode()))
                .toList();

        for (long from = 54_000; from < 60_000; from += 600) {
            long begin = from;
            assertThat(times.stream().filter(time -> time >= begin && time < begin + 600))
                    .as("from %d ms", begin)
                    .hasSizeBetween(800, 1200);
        }
    }

    /** Also over restarts and versions: what is on the disks must not be asked for all together behind one. */
    @Test
    void lifetimeOfAKeyIsDeterministic() {
        assertThat(FreshnessLifetime.millis(Duration.ofSeconds(60), "train/n-7".hashCode()))
                .isEqualTo(57_575);
    }
}
