package io.millrace.gateway.control;

import io.millrace.gateway.control.MemberCall.JobAction;
import io.millrace.gateway.control.MemberCall.JobCall;
import io.millrace.gateway.jobs.JobStatus;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.kit.async.SingleFlight;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The jobs that each member of a cluster does for what it has cached: evictions. Beside the job at the member that was
 * asked each other one runs a part, a job of its own with the same owner and request; the answer is the sum.
 */
final class ClusterJobs {
    /** Begins the client token of a part, which the id of the job ends. */
    private static final String PART = "part-of-";

    private final MemberCaller members;

    /** By the id of a job: however many look at it, each member is asked for its part once at a time. */
    private final SingleFlight<String, Map<String, MemberResponse>> shown = new SingleFlight<>();

    ClusterJobs(MemberCaller members) {
        this.members = members;
    }

    /** Returns whether this is the client token of a part. */
    static boolean isPart(@Nullable String clientToken) {
        return clientToken != null && clientToken.startsWith(PART);
    }

    /** Returns whether what a request asks for is done by all members. */
    static boolean isOfAll(RawJobRequest request) {
        RawJobRequest.From from = request.from();
        // What has failed is retried where it did: no other member knows that job.
        return "evict".equalsIgnoreCase(request.kind()) && (from == null || from.failuresOf() == null);
    }

    private boolean hasParts(JobStatus job) {
        return isOfAll(job.request())
                && !isPart(job.request().clientToken())
                && !members.members().others().isEmpty();
    }

    /** Returns a job with its parts, after an action on them. */
    Mono<JobView> sum(JobStatus job, JobAction action, Function<JobStatus, JobView> view) {
        return hasParts(job)
                ? ask(job, action).map(responses -> JobSum.of(view.apply(job), responses))
                : Mono.just(view.apply(job));
    }

    private Mono<Map<String, MemberResponse>> ask(JobStatus job, JobAction action) {
        String token = PART + job.id();
        @Nullable RawJobRequest request = action == JobAction.SUBMIT ? job.request().withClientToken(token) : null;
        MemberCall call = MemberCall.of(new JobCall(job.owner(), token, action.text(), request));
        return action == JobAction.SHOW
                ? shown.join(job.id(), () -> members.askAll(call)).map(SingleFlight.Joined::value)
                : members.askAll(call);
    }

    /**
     * Does something to a job, and then to its parts: a part that has ended stays as it is. If the job itself has ended
     * before its parts, it is done to these.
     *
     * @param job as it was
     */
    Mono<JobView> change(JobStatus job, Mono<JobStatus> change, JobAction action) {
        return change.flatMap(changed -> sum(changed, action, JobView::of))
                .onErrorResume(
                        JobException.class,
                        refused -> hasParts(job) && refused.kind() == JobException.Kind.CONFLICT
                                ? sum(job, action, JobView::of)
                                        .filter(all ->
                                                !all.state().equals(job.state().text()))
                                        .switchIfEmpty(Mono.error(refused))
                                : Mono.error(refused));
    }

    /** Deletes a job and its parts; one that is active goes on. */
    Mono<Void> delete(JobStatus job, Mono<Void> deletion) {
        return deletion.then(Mono.defer(() -> sum(job, JobAction.DELETE, JobView::of)))
                .then();
    }
}
