package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.jobs.JobStatus;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ProgressReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Tests that each time of a schedule comes once, and what else becomes of it, with a clock that is set by hand. */
class SchedulesTest {
    private static final Instant NOON = Instant.parse("2026-12-01T12:00:00Z");
    private static final String TOKEN = "schedule:hourly:2026-12-01T13:00:00Z";

    private final SubmittedJobs jobs = new SubmittedJobs();
    private final List<String> outcomes = new ArrayList<>();
    private boolean mayFire = true;
    private Instant now = NOON.plusSeconds(1);
    private Schedules schedules = with("0 * * * *");

    @Test
    void timeIsSubmittedOnce() {
        roundAt(NOON.plusSeconds(1));
        roundAt(NOON.plusSeconds(3599));
        assertThat(jobs.tokens()).isEmpty();

        roundAt(NOON.plusSeconds(3600));
        roundAt(NOON.plusSeconds(3601));

        assertThat(jobs.tokens()).containsExactly(TOKEN);
        assertThat(jobs.all.get(0).owner()).isEqualTo("trainer");
        assertThat(outcomes).containsExactly("started");
        Schedule hourly = schedules.all().get(0);
        assertThat(hourly.next()).isEqualTo(NOON.plus(Duration.ofHours(2)));
        assertThat(hourly.last()).isEqualTo(ScheduleOutcome.started(NOON.plus(Duration.ofHours(1)), "job-1"));
    }

    @Test
    void clockThatIsSetBackRepeatsNothing() {
        roundAt(NOON);
        roundAt(NOON.plus(Duration.ofHours(1)));

        roundAt(NOON.minus(Duration.ofHours(5)));
        roundAt(NOON.plus(Duration.ofHours(1)));

        assertThat(jobs.tokens()).containsExactly(TOKEN);
    }

    /** A clock that was years ahead would else have stopped the schedule for years. */
    @Test
    void clockThatWasWrongByDaysIsForgotten() {
        roundAt(NOON.plus(Duration.ofDays(400)));
        roundAt(NOON.plus(Duration.ofDays(400)).plus(Duration.ofHours(1)));
        jobs.end(JobState.DONE);

        roundAt(NOON);
        roundAt(NOON.plus(Duration.ofHours(1)));

        assertThat(jobs.tokens()).hasSize(2).endsWith(TOKEN);
    }

    @Test
    void clockThatJumpsAheadBringsTheLatestTimeOnly() {
        roundAt(NOON);
        roundAt(NOON.plus(Duration.ofHours(9)).plusSeconds(30));

        assertThat(jobs.tokens()).containsExactly("schedule:hourly:2026-12-01T21:00:00Z");
    }

    @Test
    void timeIsSkippedWhileTheLastJobGoesOn() {
        roundAt(NOON);
        roundAt(NOON.plus(Duration.ofHours(1)));
        for (JobState state : List.of(JobState.RUNNING, JobState.PAUSED)) {
            jobs.end(state);
            roundAt(now.plus(Duration.ofHours(1)));
        }
        assertThat(jobs.all).hasSize(1);
        assertThat(Objects.requireNonNull(schedules.all().get(0).last()).message())
                .isEqualTo("its last job, job-1, is still paused");

        jobs.end(JobState.FAILED);
        roundAt(now.plus(Duration.ofHours(1)));

        assertThat(jobs.all).hasSize(2);
        assertThat(outcomes).containsExactly("started", "skipped", "skipped", "started");
    }

    /** Nothing else would ever end it. */
    @Test
    void failedJobIsCancelledOnceTheNextHasStarted() {
        roundAt(NOON);
        roundAt(now.plus(Duration.ofHours(1)));
        jobs.end(JobState.FAILED);
        jobs.refusal = new JobException(JobException.Kind.FULL, "jobs use all their memory");
        roundAt(now.plus(Duration.ofHours(1)));
        assertThat(jobs.givenUp).isEmpty();

        jobs.refusal = null;
        roundAt(now.plus(Duration.ofMinutes(1)));

        assertThat(jobs.givenUp).containsExactly("trainer job-1");
        assertThat(outcomes).containsExactly("started", "failed", "started");
    }

    @Test
    void jobThatHasEndedWellIsLeftAlone() {
        roundAt(NOON);
        roundAt(now.plus(Duration.ofHours(1)));
        jobs.end(JobState.DONE_WITH_FAILURES);
        roundAt(now.plus(Duration.ofHours(1)));

        assertThat(jobs.all).hasSize(2);
        assertThat(jobs.givenUp).isEmpty();
    }

    /** Its response was lost, not the job. */
    @Test
    void jobOfTheTimeItselfIsNoReasonToSkipIt() {
        roundAt(NOON);
        jobs.submit("trainer", settings("0 * * * *").job().request().withClientToken(TOKEN))
                .block();

        roundAt(NOON.plus(Duration.ofHours(1)));

        assertThat(outcomes).containsExactly("started");
        assertThat(jobs.tokens()).containsExactly(TOKEN);
    }

    @Test
    void missedTimeIsMadeUpAfterAStop() {
        roundAt(NOON);
        roundAt(NOON.plus(Duration.ofHours(1)));
        jobs.end(JobState.DONE);

        schedules = with("0 * * * *");
        roundAt(NOON.plus(Duration.ofHours(3)).plus(Duration.ofMinutes(59)));

        assertThat(jobs.tokens()).containsExactly(TOKEN, "schedule:hourly:2026-12-01T15:00:00Z");
    }

    /** By a kill between the submission and what followed. */
    @Test
    void timeOfAStoredJobIsNotSubmittedAfterAStart() {
        roundAt(NOON);
        roundAt(NOON.plus(Duration.ofHours(1)));

        schedules = with("0 * * * *");
        roundAt(NOON.plus(Duration.ofHours(1)).plusSeconds(5));

        assertThat(jobs.tokens()).containsExactly(TOKEN);
        assertThat(schedules.all().get(0).last())
                .isEqualTo(ScheduleOutcome.started(NOON.plus(Duration.ofHours(1)), "job-1"));
    }

    @Test
    void timeThatIsTooOldIsMissed() {
        schedules = with("0 3 * * *");
        roundAt(NOON);
        roundAt(NOON.plus(Duration.ofHours(17)));

        assertThat(jobs.tokens()).isEmpty();
        assertThat(outcomes).containsExactly("missed");
        ScheduleOutcome last = Objects.requireNonNull(schedules.all().get(0).last());
        assertThat(last.time()).isEqualTo(Instant.parse("2026-12-02T03:00:00Z"));
        assertThat(last.message()).contains("within 1h");
    }

    @Test
    void newScheduleMakesNothingUp() {
        roundAt(NOON.plusSeconds(30));

        assertThat(jobs.tokens()).isEmpty();
        assertThat(outcomes).isEmpty();
    }

    @Test
    void refusedJobIsTriedAgainEachMinuteUntilItIsTooLate() {
        schedules = with("0 3 * * *");
        jobs.refusal = new JobException(JobException.Kind.DENIED, "this job needs the right read on bucket data");
        Instant three = Instant.parse("2026-12-02T03:00:00Z");
        roundAt(NOON);
        for (int second = 0; second <= 120; second++) {
            roundAt(three.plusSeconds(second));
        }
        assertThat(jobs.refused).isEqualTo(3);
        assertThat(Objects.requireNonNull(schedules.all().get(0).last()).message())
                .isEqualTo("this job needs the right read on bucket data");

        roundAt(three.plus(Duration.ofMinutes(61)));

        assertThat(outcomes).containsExactly("failed", "missed");
        assertThat(schedules.all().get(0).next()).isEqualTo(three.plus(Duration.ofDays(1)));
    }

    @Test
    void otherTimesBeginWithTheReload() {
        schedules = with("0 * * * *");
        roundAt(NOON);

        schedules.replace(Map.of("hourly", settings("5 * * * *")));
        roundAt(NOON.plus(Duration.ofMinutes(20)));
        roundAt(NOON.plus(Duration.ofMinutes(65)));
        schedules.replace(Map.of());
        roundAt(NOON.plus(Duration.ofHours(5)));

        assertThat(jobs.tokens()).containsExactly("schedule:hourly:2026-12-01T13:05:00Z");
        assertThat(schedules.all()).isEmpty();
    }

    @Test
    void timeOfAnotherGatewayIsLeftToIt() {
        roundAt(NOON);
        mayFire = false;
        roundAt(NOON.plus(Duration.ofHours(1)));
        mayFire = true;
        roundAt(NOON.plus(Duration.ofHours(1)).plusSeconds(1));

        assertThat(jobs.tokens()).isEmpty();
        assertThat(outcomes).isEmpty();
    }

    private void roundAt(Instant time) {
        now = time;
        schedules.round().block();
    }

    private Schedules with(String cron) {
        return new Schedules(
                jobs,
                (schedule, time) -> Mono.fromSupplier(() -> mayFire),
                Map.of("hourly", settings(cron)),
                (schedule, outcome) -> outcomes.add(outcome),
                () -> now);
    }

    private static ScheduleSettings settings(String cron) {
        return new ScheduleSettings(
                cron,
                "UTC",
                "trainer",
                Duration.ofHours(1),
                ScheduledJob.parse("{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"}}"));
    }

    /** Jobs as a service takes them: one for a token. */
    private static final class SubmittedJobs implements JobSubmitter {
        private final List<JobStatus> all = new ArrayList<>();
        private @Nullable JobException refusal;
        private final List<String> givenUp = new ArrayList<>();
        private int refused;

        @Override
        public Mono<JobStatus> submit(String identity, RawJobRequest request) {
            return Mono.defer(() -> {
                if (refusal != null) {
                    refused++;
                    return Mono.error(refusal);
                }
                JobStatus job = job("job-" + (all.size() + 1), identity, request, JobState.SUBMITTED);
                all.add(job);
                return Mono.just(job);
            });
        }

        @Override
        public Optional<JobStatus> latest(String identity, String tokenStart) {
            return all.isEmpty()
                    ? Optional.empty()
                    : Optional.of(all.get(all.size() - 1))
                            .filter(job -> job.owner().equals(identity)
                                    && String.valueOf(job.request().clientToken())
                                            .startsWith(tokenStart));
        }

        @Override
        public Mono<Void> giveUpFailed(String identity, String id) {
            return Mono.fromRunnable(() -> givenUp.add(identity + ' ' + id));
        }

        void end(JobState state) {
            JobStatus job = all.remove(all.size() - 1);
            all.add(job(job.id(), job.owner(), job.request(), state));
        }

        List<String> tokens() {
            return all.stream()
                    .map(job -> String.valueOf(job.request().clientToken()))
                    .toList();
        }

        private static JobStatus job(String id, String owner, RawJobRequest request, JobState state) {
            return new JobStatus(
                    id,
                    owner,
                    request,
                    state,
                    "",
                    new ProgressReport(JobProgress.NONE, Optional.empty(), Optional.empty()),
                    Instant.EPOCH,
                    Optional.empty(),
                    Optional.empty(),
                    0,
                    List.of());
        }
    }
}
