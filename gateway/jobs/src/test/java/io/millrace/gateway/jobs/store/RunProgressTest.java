package io.millrace.gateway.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.store.LowWatermark.Position;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The progress of a run: what has ended, what moves, and what an earlier run has left. */
class RunProgressTest {
    private static final JobProgress HALF =
            JobProgress.NONE.counted(2, 400, true).plus(TaskResult.done(100, 60));

    private final LowWatermark mark = new LowWatermark(null, List.of(), 0);

    @Test
    void sumsWhatMoves() {
        RunProgress progress = new RunProgress(JobProgress.NONE.counted(4, 1000, true));
        ObjectAttemptProgress first = progress.attempt(place("a"), 200);
        ObjectAttemptProgress second = progress.attempt(place("b"), 400);
        first.present(40);
        first.moved(60);
        second.moved(100);

        assertThat(progress.now()).isEqualTo(new JobProgress(4, 1000, true, 0, 0, 0, 0, 0, 0, 160, 200));
        assertThat(progress.unfinished()).isEqualTo(new UnfinishedProgress(200, 160, 0.75));
        assertThat(progress.report().progress()).isEqualTo(progress.now());
        assertThat(progress.report().percent()).contains(20.0);
    }

    @Test
    void sharesCountWhereSizesAreUnknown() {
        RunProgress progress = new RunProgress(JobProgress.NONE.counted(4, 0, true));
        progress.attempt(place("a"), 200).moved(100);
        progress.attempt(place("b"), 400).moved(100);

        assertThat(progress.report().percent()).as("a half and a quarter of 4").contains(18.7);
    }

    /** Also if that run had ended objects. */
    @Test
    void countsWhatAnEarlierRunHasLeft() {
        UnfinishedProgress left = new UnfinishedProgress(80, 70, 0.5);
        RunProgress progress = new RunProgress(HALF, left);
        RunProgress unsized =
                new RunProgress(JobProgress.NONE.counted(2, 0, true).plus(TaskResult.done(100, 60)), left);

        assertThat(progress.now()).isEqualTo(new JobProgress(2, 400, true, 1, 100, 0, 0, 0, 0, 130, 80));
        assertThat(progress.report().percent()).contains(45.0);
        assertThat(unsized.report().percent()).contains(75.0);
        assertThat(progress.unfinished().bytes()).isEqualTo(80);
        assertThat(progress.unfinished().shares()).isEqualTo(0.5);
    }

    @Test
    void whatAnEarlierRunHasLeftCountsWhileObjectsAreCounted() {
        RunProgress progress = new RunProgress(
                JobProgress.NONE.counted(1, 100, false).plus(TaskResult.done(100, 60)),
                new UnfinishedProgress(80, 70, 0.4));

        assertThat(progress.now().passedBytes()).isEqualTo(180);
        progress.counted(progress.ended().counted(1, 100, true));
        assertThat(progress.now().passedBytes()).as("nothing is left to do").isEqualTo(100);
        assertThat(progress.unfinished()).isEqualTo(UnfinishedProgress.NONE);
    }

    @Test
    void endReplacesTheTransfer() {
        RunProgress progress = new RunProgress(HALF);
        Position place = place("b");
        progress.attempt(place, 300).moved(20);

        progress.end(place, TaskResult.done(300, 50));

        assertThat(progress.ended()).isEqualTo(new JobProgress(2, 400, true, 2, 400, 0, 0, 0, 0, 110, 0));
        assertThat(progress.now()).isEqualTo(progress.ended());
    }

    /** Bytes that only the result of an object tells have moved too. */
    @Test
    void speedHasAllBytesThatMoved() {
        RunProgress progress = new RunProgress(JobProgress.NONE.counted(4, 400, true));
        progress.sample(0);
        assertThat(progress.report().speed()).isEmpty();
        Position counted = place("a");
        progress.attempt(counted, 100).moved(20);
        progress.end(counted, TaskResult.done(100, 50));
        progress.end(place("b"), TaskResult.done(100, 30));
        progress.sample(TimeUnit.SECONDS.toNanos(2));

        assertThat(progress.report().speed()).contains(new JobSpeed(1, 40, Optional.of(Duration.ofSeconds(2))));
    }

    @Test
    void endOfAnObjectTakesItFromWhatIsLeft() {
        UnfinishedProgress left = new UnfinishedProgress(100, 50, 1.5);

        assertThat(left.without(TaskResult.done(30, 20))).isEqualTo(new UnfinishedProgress(70, 30, 0.5));
        assertThat(left.without(TaskResult.done(130, 120))).isEqualTo(new UnfinishedProgress(0, 0, 0.5));
        assertThat(UnfinishedProgress.NONE.without(TaskResult.failed(1, "no"))).isEqualTo(UnfinishedProgress.NONE);
    }

    private Position place(String key) {
        return Objects.requireNonNull(mark.enter(new PlanItem(key, "1")));
    }
}
