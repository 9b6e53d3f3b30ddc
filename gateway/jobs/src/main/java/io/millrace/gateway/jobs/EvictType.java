package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Right;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.RequestForm;
import java.util.Optional;
import java.util.Set;

/** The jobs that remove objects from the cache. */
final class EvictType implements JobType {
    @Override
    public RequestForm form() {
        return new RequestForm("evict", false, Set.of());
    }

    @Override
    public JobRights rights() {
        return new JobRights(Optional.of(Right.OPERATE), Optional.empty(), false);
    }

    @Override
    public boolean isOnCacheAlone(JobSpec spec) {
        return true;
    }

    @Override
    public boolean listsCache(JobSpec spec) {
        return true;
    }

    @Override
    public ObjectTask task(JobContext job, RunWrites writes) {
        return new EvictTask(job.cache().residents(), job.from());
    }

    @Override
    public Optional<String> endOfNothing() {
        return Optional.of("nothing of its selection was cached");
    }
}
