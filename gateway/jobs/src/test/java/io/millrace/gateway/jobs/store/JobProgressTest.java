package io.millrace.gateway.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests percentage, speed and time left of a job. */
class JobProgressTest {
    private static final JobProgress FOUND = JobProgress.NONE.counted(4, 4000, true);

    private final JobSpeedMeter speed = new JobSpeedMeter();

    @Test
    void percentUsesBytesIfSizesAreListed() {
        JobProgress oneSmall = FOUND.plus(TaskResult.done(10, 10));

        assertThat(oneSmall.with(1990, 1990).percent(0.5)).contains(50.0);
        assertThat(oneSmall.percent(0)).contains(0.2);
    }

    @Test
    void failedBytesCountAsEnded() {
        assertThat(FOUND.plus(TaskResult.failed(3000, "no")).percent(0)).contains(75.0);
    }

    @Test
    void percentUsesObjectsWhenSizesAreUnknown() {
        JobProgress unknown = JobProgress.NONE.counted(4, 0, true).plus(TaskResult.done(1000, 1000));

        assertThat(unknown.with(77, 77).percent(0.5)).contains(37.5);
    }

    @Test
    void percentIsBelowHundredBeforeTheEnd() {
        assertThat(FOUND.with(4000, 4000).percent(1)).contains(99.9);
        assertThat(JobProgress.NONE
                        .counted(1, 1, true)
                        .plus(TaskResult.skipped(0, "there"))
                        .percent(0))
                .contains(100.0);
    }

    @Test
    void percentIsEmptyBeforeCountEnds() {
        assertThat(JobProgress.NONE.counted(4, 4000, false).percent(0)).isEmpty();
    }

    @Test
    void timeLeftFollowsCurrentSpeed() {
        sample(0, 0);
        assertThat(speed.speed(FOUND)).isEmpty();

        sample(5, 1000);

        assertThat(speed.speed(FOUND.with(1000, 1000)))
                .contains(new JobSpeed(0, 200, Optional.of(Duration.ofSeconds(15))));
    }

    @Test
    void speedIgnoresOldPause() {
        sample(0, 0);
        for (int i = 0; i <= 20; i++) {
            sample(600 + i, 100L * i);
        }

        assertThat(speed.speed(FOUND).orElseThrow().bytesPerSecond()).isEqualTo(100);
    }

    @Test
    void stalledJobHasNoTimeLeft() {
        sample(0, 1000);
        sample(9, 1000);

        assertThat(speed.speed(FOUND.with(1000, 1000)).orElseThrow().left()).isEmpty();
    }

    private void sample(long seconds, long bytes) {
        speed.sample(TimeUnit.SECONDS.toNanos(seconds), FOUND.with(bytes, bytes), bytes);
    }
}
