package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Right;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.RequestForm;
import io.millrace.kit.async.RateLimiter;
import java.util.Optional;
import java.util.Set;

/** The jobs that compare cached blocks with the backend, or copies with their source. */
final class VerifyType implements JobType {
    @Override
    public RequestForm form() {
        return new RequestForm("verify", false, Set.of("to"));
    }

    @Override
    public JobRights rights() {
        return new JobRights(Optional.of(Right.OPERATE), Optional.of(Right.READ), false);
    }

    @Override
    public boolean isOnCacheAlone(JobSpec spec) {
        return spec.to().isEmpty();
    }

    @Override
    public boolean listsCache(JobSpec spec) {
        return spec.to().isEmpty();
    }

    @Override
    public boolean comparesListings(JobSpec spec) {
        return spec.to().isPresent();
    }

    @Override
    public ObjectTask task(JobContext job, RunWrites writes) {
        RateLimiter bandwidth = job.spec().limits().bytes();
        return job.spec().to().isEmpty()
                ? new VerifyCachedTask(job.cache().residents(), job.cache().bytes(), job.from(), bandwidth)
                : new VerifyCopyTask(job.from(), job.to(), job.names(), bandwidth);
    }
}
