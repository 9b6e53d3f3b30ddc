package io.millrace.gateway.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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

    @Test
    void everyResultCountsInItsPlace() {
        JobProgress progress = JobProgress.NONE
                .counted(10, 1000, true)
                .plus(TaskResult.done(100, 40))
                .plus(TaskResult.skipped(20, "there"))
                .plus(TaskResult.failed(3, "no"));

        assertThat(progress).isEqualTo(new JobProgress(10, 1000, true, 1, 100, 1, 20, 1, 3, 40, 0));
        assertThat(progress.ended()).isEqualTo(3);
        assertThat(progress.with(5, 7)).isEqualTo(new JobProgress(10, 1000, true, 1, 100, 1, 20, 1, 3, 47, 5));
        assertThat(progress.with(5, 7).moved(1).passedBytes()).isEqualTo(128);
        assertThat(progress.with(5, 7).moved(1).movedBytes()).isEqualTo(48);
    }

    /** The count may lag behind the work. */
    @Test
    void countIsRaisedToTheEndedObjects() {
        JobProgress reached = JobProgress.NONE.counted(1, 10, false).plus(TaskResult.done(30, 30));
        assertThat(reached.foundBytes())
                .as("as counted, while there are no more objects")
                .isEqualTo(10);

        JobProgress raised = reached.plus(TaskResult.skipped(5, "there")).plus(TaskResult.failed(100, "no"));

        assertThat(raised).isEqualTo(new JobProgress(3, 35, false, 1, 30, 1, 5, 1, 100, 30, 0));
        assertThat(raised.counted(2, 1, true)).isEqualTo(new JobProgress(3, 35, true, 1, 30, 1, 5, 1, 100, 30, 0));
    }

    @Test
    void unknownBytesStayUnknown() {
        JobProgress unknown = JobProgress.NONE.plus(TaskResult.done(30, 30)).plus(TaskResult.done(30, 30));

        assertThat(unknown.found()).isEqualTo(2);
        assertThat(unknown.foundBytes()).isZero();
    }

    @Test
    void endCompletesTheCount() {
        JobProgress progress = JobProgress.NONE
                .counted(2, 1, false)
                .plus(TaskResult.done(100, 0))
                .plus(TaskResult.skipped(20, "there"))
                .allEnded();

        assertThat(progress).isEqualTo(new JobProgress(2, 120, true, 1, 100, 1, 20, 0, 0, 0, 0));
        assertThat(JobProgress.NONE.counted(5, 1000, false).allEnded())
                .isEqualTo(new JobProgress(5, 1000, true, 0, 0, 0, 0, 0, 0, 0, 0));
        assertThat(JobProgress.NONE.allEnded().percent(0)).as("of nothing").isEmpty();
    }

    @Test
    void windowIsFifteenSeconds() {
        sample(0, 0);
        sample(5, 1000);
        sample(15, 1200);
        assertThat(speed.speed(FOUND).orElseThrow().bytesPerSecond()).isEqualTo(80);

        sample(16, 1200);
        assertThat(speed.speed(FOUND).orElseThrow().bytesPerSecond()).isCloseTo(200 / 11.0, within(1e-9));
    }

    @Test
    void twoSamplesAreEnoughHoweverOld() {
        sample(0, 0);
        sample(600, 1200);

        assertThat(speed.speed(FOUND).orElseThrow().bytesPerSecond()).isEqualTo(2);
    }

    @Test
    void speedHasObjectsAndBytesOfFailedAttempts() {
        JobProgress unknown = JobProgress.NONE.counted(11, 0, true).plus(TaskResult.done(0, 0));
        JobProgress two = unknown.plus(TaskResult.done(0, 0)).plus(TaskResult.failed(0, "no"));
        speed.sample(0, unknown, 500);
        speed.sample(TimeUnit.SECONDS.toNanos(4), two, 900);

        assertThat(speed.speed(two)).contains(new JobSpeed(0.5, 100, Optional.of(Duration.ofSeconds(16))));
    }

    @Test
    void timeLeftNeedsAWholeCountWithSomethingLeft() {
        sample(0, 0);
        sample(5, 1000);

        assertThat(left(JobProgress.NONE.counted(4, 4000, false))).isEmpty();
        assertThat(left(FOUND.with(4000, 0))).contains(Duration.ZERO);
        assertThat(left(FOUND.with(4001, 0))).isEmpty();
    }

    private Optional<Duration> left(JobProgress progress) {
        return speed.speed(progress).orElseThrow().left();
    }

    private void sample(long seconds, long bytes) {
        speed.sample(TimeUnit.SECONDS.toNanos(seconds), FOUND.with(bytes, bytes), bytes);
    }
}
