package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.RequestForm;
import java.util.Optional;
import java.util.Set;

/** The jobs that fetch objects into the cache. */
final class PrefetchType implements JobType {
    @Override
    public RequestForm form() {
        return new RequestForm("prefetch", false, Set.of("range", "pin"));
    }

    @Override
    public JobRights rights() {
        return new JobRights(Optional.empty(), Optional.empty(), false);
    }

    @Override
    public boolean isOnCacheAlone(JobSpec spec) {
        return true;
    }

    @Override
    public ObjectTask task(JobContext job, RunWrites writes) {
        return new PrefetchTask(job.cache().ahead(), job.from(), job.spec());
    }

    @Override
    public JobOutlook outlook(JobContext job, Plan plan) {
        return new CacheFitOutlook(job.cache(), job.from(), job.spec(), plan);
    }

    /** Returns those that were under way: when an object was cached does not show, as it does in a target. */
    @Override
    public int mostUnrecorded(JobSpec spec) {
        return spec.limits().workers();
    }
}
