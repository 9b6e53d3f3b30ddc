package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.gateway.control.MemberCall.JobAction;
import io.millrace.gateway.control.MemberCall.JobCall;
import io.millrace.gateway.control.MemberResponse.JobPart;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A job and its parts at other members are changed as one, and those who look at it cost the members one call. */
class ClusterJobsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private final JobException hasEnded = new JobException(JobException.Kind.CONFLICT, "job 1 has ended");

    private final FakeMembers members = new FakeMembers();
    private final ClusterJobs jobs = new ClusterJobs(new MemberCaller(members));
    private final List<JobCall> asked = new ArrayList<>();

    @Test
    void jobThatHasEndedHereIsCancelledWhereItHasNot() {
        members.with("gw-0", call -> part(call, "cancelling"));

        JobView all = jobs.change(evict(JobState.DONE, null), Mono.error(hasEnded), JobAction.CANCEL)
                .block();

        assertThat(all).extracting(JobView::state).isEqualTo("cancelling");
        assertThat(asked).containsExactly(new JobCall("alice", "part-of-1", "cancel", null));
    }

    @Test
    void jobThatHasEndedEverywhereIsNotChanged() {
        members.with("gw-0", call -> part(call, "done"));

        assertThatThrownBy(() -> jobs.change(evict(JobState.DONE, null), Mono.error(hasEnded), JobAction.CANCEL)
                        .block())
                .isSameAs(hasEnded);
    }

    @Test
    void callerWithoutTheRightChangesNoPart() {
        members.with("gw-0", call -> part(call, "cancelling"));
        JobException denied = new JobException(JobException.Kind.DENIED, "job 1 is another's");

        assertThatThrownBy(() -> jobs.change(evict(JobState.RUNNING, null), Mono.error(denied), JobAction.CANCEL)
                        .block())
                .isSameAs(denied);
        assertThat(asked).isEmpty();
    }

    /** Each answer may take ten seconds. */
    @Test
    void concurrentLooksAtAJobShareOneCall() {
        Sinks.One<MemberResponse> answer = Sinks.one();
        members.withLater("gw-0", call -> {
            asked.add(Optional.ofNullable(call.job()).orElseThrow());
            return answer.asMono();
        });
        JobStatus job = evict(JobState.DONE, null);
        List<CompletableFuture<JobView>> looks = List.of(look(job), look(job), look(job));

        answer.tryEmitValue(MemberResponse.of(new JobPart("running", "", JobProgress.NONE)));

        assertThat(looks)
                .allSatisfy(look -> assertThat(look)
                        .succeedsWithin(PATIENCE)
                        .extracting(JobView::state)
                        .isEqualTo("running"));
        assertThat(asked).hasSize(1);
    }

    /** Another member has no such job, and its own failures are not those of this one. */
    @Test
    void retryOfFailuresIsOfTheMemberThatHasThem() {
        members.with("gw-0", call -> part(call, "running"));

        JobView all = jobs.sum(evict(JobState.DONE, "0"), JobAction.SUBMIT, JobView::of)
                .block();

        assertThat(all).extracting(JobView::state).isEqualTo("done");
        assertThat(asked).isEmpty();
    }

    private CompletableFuture<JobView> look(JobStatus job) {
        return jobs.sum(job, JobAction.SHOW, JobView::of).toFuture();
    }

    private MemberResponse part(MemberCall call, String state) {
        asked.add(Optional.ofNullable(call.job()).orElseThrow());
        return MemberResponse.of(new JobPart(state, "", JobProgress.NONE));
    }

    /** @param failuresOf the job whose failures are retried */
    private static JobStatus evict(JobState state, @Nullable String failuresOf) {
        String retried = failuresOf == null ? "null" : "'" + failuresOf + "'";
        RawJobRequest request = ApiJobRequests.of(
                "{'kind': 'evict', 'from': {'bucket': 'data', 'prefix': 'a/', 'failuresOf': %s}}".formatted(retried));
        return new JobStatus(
                "1",
                "alice",
                request,
                state,
                "",
                new ProgressReport(JobProgress.NONE, Optional.empty(), Optional.empty()),
                Instant.EPOCH,
                Optional.of(Instant.EPOCH),
                Optional.of(Instant.EPOCH),
                0,
                List.of());
    }
}
