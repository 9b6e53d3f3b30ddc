package io.millrace.gateway.control;

import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.jobs.JobStatus;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobState;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Submits jobs for identities of the settings, and finds those that were. */
interface JobSubmitter {
    /** Submits a job as an identity, with its rights; the same job again if it was submitted before. */
    Mono<JobStatus> submit(String identity, RawJobRequest request);

    /** Returns the newest job of an identity whose client token begins so. */
    Optional<JobStatus> latest(String identity, String tokenStart);

    /** Cancels a job of an identity if it has failed as a whole, since another one follows it. */
    Mono<Void> giveUpFailed(String identity, String id);

    static JobSubmitter to(JobService jobs) {
        return new JobSubmitter() {
            @Override
            public Mono<JobStatus> submit(String identity, RawJobRequest request) {
                return Mono.defer(() -> jobs.owner(identity)
                        .map(owner -> jobs.submit(owner, request))
                        .orElseGet(() -> Mono.error(new JobException(
                                JobException.Kind.DENIED,
                                "identity '%s' is no longer in the settings file".formatted(identity)))));
            }

            @Override
            public Optional<JobStatus> latest(String identity, String tokenStart) {
                return jobs.latestWith(identity, tokenStart);
            }

            @Override
            public Mono<Void> giveUpFailed(String identity, String id) {
                return Mono.defer(() -> jobs.owner(identity)
                        .filter(owner -> jobs.get(owner, id).state() == JobState.FAILED)
                        .map(owner -> jobs.cancel(owner, id).then())
                        .orElseGet(Mono::empty));
            }
        };
    }
}
