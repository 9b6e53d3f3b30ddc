package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Right;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.JobSpec.ShardNames;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.PlanException;
import io.millrace.gateway.jobs.plan.PlanFactory;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.RequestForm;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/** The jobs that make shards, tars of many samples, of the objects of a bucket. Their items are the shards. */
final class PackType implements JobType {
    @Override
    public RequestForm form() {
        return new RequestForm("pack", true, Set.of("to", "shards"));
    }

    @Override
    public JobRights rights() {
        return new JobRights(Optional.empty(), Optional.of(Right.WRITE), false);
    }

    @Override
    public boolean makesItems() {
        return true;
    }

    @Override
    public void check(JobContext job) {
        Source source = job.spec().from().source();
        if (source instanceof Source.FailuresOf) {
            throw new InvalidJobException(
                    "from.failuresOf",
                    shards(job.spec()).append()
                            ? "is not for shards that are appended, which get other numbers: delete those that the job"
                                    + " has appended, and submit it again"
                            : "is not for shards: submit the pack again, which keeps those that are there");
        }
        if (listsTarget(job.spec()) && !job.to().canList()) {
            throw new InvalidJobException(
                    "shards.append",
                    "needs a list of the target, whose backend '%s' cannot list objects: give the shards another name"
                            .formatted(job.to().backendName()));
        }
        if (shards(job.spec()).window().isPresent() && !(source instanceof Source.Listing)) {
            throw new InvalidJobException("shards.window", "is only for a selection by prefix, whose order is known");
        }
        requireNames(job);
        if (source instanceof Source.Listing listing
                && PackPlaces.of(job, shardKeys(job)).areBelowOrAbove(listing.prefix())) {
            throw new InvalidJobException("to", "lies inside the selection: choose another bucket or prefix");
        }
    }

    /** Returns the beginning of the keys of all shards. */
    private static String shardKeys(JobContext job) {
        return job.names().to() + shards(job.spec()).names().before();
    }

    private static void requireNames(JobContext job) {
        try {
            job.names().renamed(new ObjectKey(shards(job.spec()).names().tar(Long.MAX_VALUE)));
        } catch (IllegalArgumentException noKey) {
            throw new InvalidJobException("to.prefix", "is too long for the names of the shards");
        }
    }

    private static JobSpec.Shards shards(JobSpec spec) {
        return spec.shards().orElseThrow();
    }

    private static String prefix(JobSpec spec) {
        return spec.from().source() instanceof Source.Listing listing ? listing.prefix() : "";
    }

    /** Returns the length of the folder of the selection, which the names of members leave out. */
    private static int stripped(JobSpec spec) {
        return prefix(spec).lastIndexOf('/') + 1;
    }

    @Override
    public Plan plan(JobContext job, PlanInputs inputs) {
        boolean isListed = job.spec().from().source() instanceof Source.Listing;
        Plan selection = isListed ? listed(job, inputs) : lookedUp(job, inputs);
        return new PackPlan(
                selection, isListed, begin(job), shards(job.spec()), stripped(job.spec()), inputs.arrangement());
    }

    /** Returns the plan of a selection by prefix, with the sizes that shards need. */
    private static Plan listed(JobContext job, PlanInputs inputs) {
        Plan selection = job.selection(inputs);
        boolean isMade =
                job.from().derived().flatMap(DerivedSettings::transform).isPresent();
        return isMade ? new MadeSizesPlan(selection, job) : selection;
    }

    /** Returns the plan of a selection by names, whose order is that of the samples. */
    private static Plan lookedUp(JobContext job, PlanInputs inputs) {
        PackPlaces shards = PackPlaces.of(job, shardKeys(job));
        Plan names = position -> job.selection(inputs).from(position).doOnNext(item -> {
            if (shards.have(item.name())) {
                throw new PlanException("'%s' lies where the shards will: choose another bucket or prefix for these"
                        .formatted(item.name()));
            }
        });
        return MissingBucketNamer.ofSource(job.from()).naming(new LookedUpPlan(names, job, inputs.readable()));
    }

    /** Returns the number of the first shard: 0, or that after the highest one of the target. */
    private static Mono<Long> begin(JobContext job) {
        JobSpec.Shards shards = shards(job.spec());
        if (!shards.append()) {
            return Mono.just(0L);
        }
        int prefix = job.names().to().length();
        return MissingBucketNamer.ofTarget(job.to())
                .naming(PlanFactory.listing(job.to(), shardKeys(job), job.retry()))
                .from(Optional.empty())
                .map(item -> shards.names().after(item.name().substring(prefix)))
                .reduce(0L, Long::max);
    }

    @Override
    public JobOutlook outlook(JobContext job, Plan plan) {
        return plan instanceof PackPlan pack ? pack : JobOutlook.NONE;
    }

    @Override
    public boolean listsTarget(JobSpec spec) {
        return shards(spec).append();
    }

    @Override
    public List<ObjectKey> keys(PlanItem item) {
        return List.of(item.key(), new ObjectKey(ShardNames.index(item.name())));
    }

    @Override
    public ObjectTask task(JobContext job, RunWrites writes) {
        ShardReader reader = new ShardReader(
                job.from(),
                job.services().cache().map(JobCacheAccess::objects),
                writes.readable(),
                job.spec().limits().turns(),
                new ShardArrangement(
                        writes.uploads().notes().folder(),
                        writes.uploads().notes().thread()),
                stripped(job.spec()),
                ShardReader.ahead(job.spec().limits()),
                ShardReader.LONGEST_WAIT);
        return new PackTask(
                reader,
                writes.writes(),
                new ParallelPartUploader(writes.writes(), writes.uploads()),
                job.to(),
                job.names(),
                shards(job.spec()).append(),
                writes.begun());
    }
}
