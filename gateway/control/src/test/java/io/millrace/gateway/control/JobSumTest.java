package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.control.MemberResponse.JobPart;
import io.millrace.gateway.jobs.store.JobProgress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job that all members do is one for whoever asks: its counts are the sums, and nobody is left out silently. */
class JobSumTest {
    @Test
    void countsAreAddedUp() {
        JobView all = JobSum.of(
                job("done", "", progress(3, true)),
                Map.of("gw-0", part("running", "", progress(5, false)), "gw-2", part("done", "", progress(2, true))));

        assertThat(all.progress()).isEqualTo(progress(10, false));
        assertThat(all.percent()).isEmpty();
        assertThat(all.ended()).isEmpty();
        assertThat(all.state()).isEqualTo("running");
        assertThat(JobSum.of(job("done", "", progress(3, true)), Map.of("gw-0", part("done", "", progress(1, true))))
                        .percent())
                .contains(100.0);
    }

    @ParameterizedTest
    @CsvSource({
        "done, done, done",
        "running, done, running",
        "done, submitted, submitted",
        "done, failed, failed",
        "failed, running, running",
        "done, cancelled, cancelled",
        "done-with-failures, done, done-with-failures",
        "paused, done, paused",
        "done, of-a-later-release, done"
    })
    void stateIsThatOfThePartWithMostToDo(String own, String other, String all) {
        JobProgress nothing = progress(0, true);

        assertThat(JobSum.of(job(own, "", nothing), Map.of("gw-0", part(other, "", nothing)))
                        .state())
                .isEqualTo(all);
    }

    @Test
    void memberThatTakesNoPartIsNamed() {
        JobView all = JobSum.of(
                job("done", "", progress(3, true)),
                new TreeMap<>(Map.of(
                        "gw-0", MemberResponse.ofProblem("no response within 10 s"),
                        "gw-2", part("failed", "the disk is lost", progress(0, false)))));

        assertThat(all.state()).isEqualTo("failed");
        assertThat(all.message())
                .isEqualTo("member gw-0 takes no part (no response within 10 s), so what it has cached may still be"
                        + " there: evict again later; at member gw-2: the disk is lost");
        assertThat(JobSum.of(job("done", "", progress(3, true)), Map.of("gw-0", MemberResponse.ofProblem("away")))
                        .state())
                .isEqualTo("done-with-failures");
    }

    @Test
    void memberThatHadNothingDoesNotSaySoForAll() {
        String nothing = "nothing of its selection was cached";
        JobView own = job("done", nothing, progress(0, true));

        assertThat(JobSum.of(own, Map.of("gw-0", part("done", "", progress(2, true))))
                        .message())
                .isEmpty();
        assertThat(JobSum.of(own, Map.of("gw-0", part("done", nothing, progress(0, true))))
                        .message())
                .isEqualTo(nothing);
    }

    private static JobProgress progress(long objects, boolean counted) {
        return new JobProgress(objects, 10 * objects, counted, objects, 10 * objects, 0, 0, 0, 0, 10 * objects, 0);
    }

    private static MemberResponse part(String state, String message, JobProgress progress) {
        return MemberResponse.of(new JobPart(state, message, progress));
    }

    private static JobView job(String state, String message, JobProgress progress) {
        return new JobView(
                "id",
                "evict",
                "admin",
                state,
                message,
                ApiJobRequests.of("{'kind': 'evict'}"),
                progress,
                Optional.of(100.0),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Instant.EPOCH,
                Optional.of(Instant.EPOCH),
                Optional.of(Instant.EPOCH),
                1,
                List.of());
    }
}
