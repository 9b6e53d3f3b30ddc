package io.millrace.gateway.jobs;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.PlanFactory;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import io.millrace.gateway.jobs.plan.PrefixRenaming;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.jobs.store.PendingUploadStore;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.DerivedObjectFinder;
import io.millrace.kit.async.RateLimiter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * A parsed request with its kind, and the buckets and services that its job uses.
 *
 * @param planning the failure after which the plan tries again
 */
record JobContext(JobType type, JobSpec spec, BucketRegistry buckets, JobServices services, RetryReason planning) {
    JobContext(JobType type, JobSpec spec, BucketRegistry buckets, JobServices services) {
        this(type, spec, buckets, services, new RetryReason());
    }

    /**
     * Checks that this gateway can run the job, as far as its settings tell.
     *
     * @throws JobException of kind UNSUPPORTED if this gateway lacks what the job needs
     * @throws InvalidJobException if a bucket does not exist or cannot be listed for it, or its kind finds another
     *     error
     */
    void check() {
        if (!type.form().isOfUrls()) {
            from();
        }
        if (spec.to().isPresent()) {
            requireWritable(to());
        }
        if (type.isOnCacheAlone(spec)) {
            cache();
        }
        type.check(this);
        if (type.listsCache(spec) || spec.pinnedUntil().isPresent()) {
            requireCopies(from());
        }
        if (listsSource()) {
            requireListing("from", from());
        }
        if (comparesListings()) {
            requireListing("to", to());
        }
    }

    /** What is cached of a derived bucket is cached of another one, and what is of a scratch bucket is all there is. */
    private static void requireCopies(BucketView bucket) {
        bucket.whyCachedIsNotManaged().ifPresent(why -> {
            throw new InvalidJobException("from.bucket", why);
        });
    }

    private static void requireWritable(BucketView bucket) {
        bucket.derived().ifPresent(derived -> {
            throw new InvalidJobException(
                    "to.bucket",
                    "is read-only, because it is derived from '%s': name another bucket".formatted(derived.from()));
        });
    }

    private static void requireListing(String field, BucketView bucket) {
        if (!bucket.canList()) {
            throw new InvalidJobException(
                    field,
                    "is on backend '%s', which cannot list objects: select them by keys, a template or a manifest"
                            .formatted(bucket.backendName()));
        }
    }

    /**
     * Checks that the buckets of a job exist at their backends, because a name may be misspelt; what is cached of a
     * bucket that has gone may be evicted. A backend that does not answer is not waited for long: the job will wait
     * for it.
     *
     * @throws InvalidJobException (as an error of the result) if one does not exist
     */
    Mono<Void> requireExisting() {
        List<Mono<Void>> checks = new ArrayList<>();
        if (!type.form().isOfUrls()) {
            BucketView from = from();
            boolean isCacheEnough = type.listsCache(spec);
            checks.add(requireExisting(
                    "from.bucket", from, isCacheEnough ? cache().residents().isUnknown(from) : from.isMissing()));
        }
        spec.to().ifPresent(to -> checks.add(requireExisting("to.bucket", to(), to().isMissing())));
        return Flux.concat(checks).then();
    }

    private static Mono<Void> requireExisting(String field, BucketView bucket, Mono<Boolean> isMissing) {
        return isMissing
                .filter(missing -> missing)
                .flatMap(missing -> Mono.error(new InvalidJobException(field, DerivedObjectFinder.absence(bucket))));
    }

    /** Makes the plan, see {@link JobType#plan}. */
    Plan plan(PlanInputs inputs) {
        return type.plan(this, inputs);
    }

    /**
     * Makes the plan of the selected objects, compared with the target if the kind does that; for {@link JobType#plan}.
     */
    Plan selection(PlanInputs inputs) {
        Plan source = MissingBucketNamer.ofSource(from())
                .naming(PlanFactory.filtered(source(inputs), spec.from().filter()));
        if (!comparesListings()) {
            return source;
        }
        Plan target = MissingBucketNamer.ofTarget(to()).naming(PlanFactory.listing(to(), names().to(), retry()));
        return PlanFactory.compared(source, target, names(), spec.deleteExtra());
    }

    private Plan source(PlanInputs inputs) {
        Source source = spec.from().source();
        if (source instanceof Source.Listing listing) {
            return listsSource()
                    ? PlanFactory.listing(from(), listing.prefix(), retry())
                    : PlanFactory.cached(cache().residents(), from(), listing.prefix());
        }
        if (source instanceof Source.Template template) {
            return PlanFactory.template(template.names());
        }
        if (source instanceof Source.Keys keys) {
            return PlanFactory.keys(keys.keys());
        }
        if (source instanceof Source.FailuresOf) {
            return PlanFactory.keys(inputs.failures().stream()
                    .map(failure -> new ObjectKey(failure.key()))
                    .toList());
        }
        Source.Manifest manifest = (Source.Manifest) source;
        return PlanFactory.manifest(
                bucket("from.manifest", manifest.in()), manifest.key(), from(), inputs.lists(), retry());
    }

    /** Returns how often and when a request for the plan is repeated. */
    Retry retry() {
        return FailureClassifier.retry(spec.limits().attempts(), planning);
    }

    /**
     * Asks the source for the metadata of an object, for the plan: when it has its turn, and again as {@link #retry}
     * tells.
     *
     * @param requests the turns of this run of the plan
     */
    Mono<Listed> lookUp(ObjectKey key, RateLimiter requests) {
        BucketView from = from();
        Mono<HeadResult> head = Mono.defer(() -> from.backend().head(ReadRequest.of(from.at(key))));
        return Mono.defer(() -> requests.take(1).then(head)).retryWhen(retry()).map(found -> Listed.of(found.head()));
    }

    /** Makes the sender of the writes of one run. */
    StoppableWrites writes() {
        return new StoppableWrites(
                services.writes(), spec.limits().bytes(), Math.max(spec.limits().workers() / 2, PartPlan.AT_ONCE));
    }

    /**
     * Makes the task.
     *
     * @param writes of this run
     * @param notes the pending uploads of the job
     * @param begun when the job ran for the first time
     * @param readable the objects of the source that the owner may read
     */
    ObjectTask task(StoppableWrites writes, PendingUploadStore notes, Instant begun, Predicate<ObjectKey> readable) {
        ObjectTask task = type.task(this, new RunWrites(writes, services.uploads(buckets, notes), begun, readable));
        return missingBuckets().naming(task);
    }

    private MissingBucketNamer missingBuckets() {
        if (type.form().isOfUrls()) {
            return MissingBucketNamer.ofTarget(to());
        }
        return spec.to().isPresent() ? MissingBucketNamer.ofBoth(from(), to()) : MissingBucketNamer.ofSource(from());
    }

    /** Returns whether the plan compares the listings of source and target. */
    boolean comparesListings() {
        return spec.from().source() instanceof Source.Listing && type.comparesListings(spec);
    }

    /** Returns whether the plan lists the target. */
    boolean listsTarget() {
        return comparesListings() || type.listsTarget(spec);
    }

    /** Returns whether the plan lists the source at its backend, not in the cache. */
    private boolean listsSource() {
        return spec.from().source() instanceof Source.Listing && !type.listsCache(spec);
    }

    /** Returns the prefixes of the selection and of the target. */
    PrefixRenaming names() {
        return spec.names();
    }

    BucketView from() {
        return bucket("from.bucket", spec.from().bucket());
    }

    /** Returns the target, of a job that has one. */
    BucketView to() {
        return bucket("to.bucket", spec.to().orElseThrow().bucket());
    }

    /**
     * Returns a bucket.
     *
     * @param field of the request that names it
     * @throws InvalidJobException if this gateway has no such bucket
     */
    BucketView bucket(String field, BucketName name) {
        return buckets.findAny(name).orElseThrow(() -> new InvalidJobException(field, "is no bucket of this gateway"));
    }

    JobCacheAccess cache() {
        return services.requiredCache();
    }
}
