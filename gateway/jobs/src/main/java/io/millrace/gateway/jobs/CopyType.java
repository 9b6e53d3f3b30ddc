package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Right;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import io.millrace.gateway.jobs.plan.OverwriteMode;
import io.millrace.gateway.jobs.plan.PrefixRenaming;
import io.millrace.gateway.jobs.plan.RequestForm;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Optional;
import java.util.Set;

/** The jobs that copy objects to another bucket. */
final class CopyType implements JobType {
    @Override
    public RequestForm form() {
        return new RequestForm("copy", true, Set.of("to", "overwrite", "deleteExtra"));
    }

    @Override
    public JobRights rights() {
        return new JobRights(Optional.empty(), Optional.of(Right.WRITE), true);
    }

    /** Refuses a target inside the selection, because the job would copy its own copies again and again. */
    @Override
    public void check(JobContext job) {
        BucketView from = job.from();
        BucketView to = job.to();
        boolean sameBucket = from.backendName().equals(to.backendName())
                && from.backendBucket().equals(to.backendBucket());
        PrefixRenaming names = job.names();
        String source = from.toBackend(names.from());
        String target = to.toBackend(names.to());
        // Only a listing grows while it is copied.
        boolean meet = job.spec().from().source() instanceof Source.Listing
                ? target.startsWith(source) || (job.spec().deleteExtra() && source.startsWith(target))
                : target.equals(source);
        if (sameBucket && meet) {
            throw new InvalidJobException("to", "lies inside the selection: choose another bucket or prefix");
        }
    }

    @Override
    public boolean comparesListings(JobSpec spec) {
        return spec.overwrite() != OverwriteMode.ALWAYS || spec.deleteExtra();
    }

    @Override
    public ObjectTask task(JobContext job, RunWrites writes) {
        JobObjectCopier copier = new JobObjectCopier(
                writes.writes(),
                new ParallelPartUploader(writes.writes(), writes.uploads()),
                job.services().cache().map(JobCacheAccess::objects));
        return new CopyTask(job.from(), job.to(), job.spec(), job.names(), writes.writes(), copier, writes.begun());
    }
}
