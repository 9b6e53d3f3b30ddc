package io.millrace.gateway.jobs;

import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.JobDestination;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.store.TaskResult;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import reactor.core.publisher.Mono;

/**
 * Checks the rights of a job's owner: those on the buckets when the job is submitted and when it starts, those on each
 * object right before its task.
 */
final class JobAuthorizer {
    private final Authorizer authorizer;
    private final Principal owner;
    private final JobContext job;
    private final JobSpec spec;
    private final JobRights rights;
    private final BucketName bucket;

    JobAuthorizer(Authorizer authorizer, Principal owner, JobContext job) {
        this.authorizer = authorizer;
        this.owner = owner;
        this.job = job;
        this.spec = job.spec();
        this.rights = job.type().rights();
        this.bucket = spec.from().bucket();
    }

    /**
     * Requires the rights on the buckets of the job.
     *
     * @throws JobException of kind DENIED if the owner lacks a right
     */
    void require() {
        rights.onBucket()
                .ifPresent(right -> require(allows(right, AccessScope.bucket(bucket)), right, "bucket " + bucket));
        if (readsObjects()) {
            requireSelection();
        }
        if (spec.from().source() instanceof Source.Manifest manifest) {
            requireRead(manifest.in(), manifest.key());
        }
        spec.to().ifPresent(this::requireTarget);
    }

    /**
     * Returns a predicate for the objects of the manifest's bucket that the owner may read; a manifest may name such as
     * further lists.
     */
    Predicate<ObjectKey> readable() {
        return spec.from().source() instanceof Source.Manifest manifest
                ? key -> allows(Right.READ, AccessScope.object(manifest.in(), key))
                : key -> false;
    }

    private void requireSelection() {
        boolean operates = operates();
        if (!operates) {
            requireSomewhere(Right.READ, bucket);
        }
        if (spec.from().source() instanceof Source.Listing listing) {
            require(
                    allows(Right.LIST, AccessScope.listing(bucket, listing.prefix())) || operates,
                    Right.LIST,
                    place(bucket, listing.prefix()));
        } else if (spec.from().source() instanceof Source.Keys keys) {
            keys.keys().forEach(key -> require(mayTouch(key), Right.READ, place(bucket, key.value())));
        }
    }

    private void requireTarget(JobDestination to) {
        rights.onTarget().ifPresent(right -> requireSomewhere(right, to.bucket()));
        if (spec.deleteExtra()) {
            requireSomewhere(Right.DELETE, to.bucket());
        }
        require(
                !job.listsTarget() || allows(Right.LIST, AccessScope.listing(to.bucket(), to.prefix())),
                Right.LIST,
                place(to.bucket(), to.prefix()));
    }

    private void requireSomewhere(Right right, BucketName in) {
        require(allows(right, new AccessScope.Somewhere(in)), right, "bucket " + in);
    }

    private boolean allows(Right right, AccessScope scope) {
        return authorizer.decide(owner, right.action(), scope).isAllowed();
    }

    private boolean denies(PolicyAction action, BucketName in, ObjectKey key) {
        return authorizer.decide(owner, action, AccessScope.object(in, key)).isDeniedByStatement();
    }

    /** Returns whether the owner operates the whole bucket, nothing of it is denied, and the job needs no more. */
    private boolean operates() {
        return job.type().isOnCacheAlone(spec)
                && allows(Right.OPERATE, new AccessScope.Undenied(AccessScope.bucket(bucket)));
    }

    private boolean readsObjects() {
        return !job.type().form().isOfUrls();
    }

    /** Returns whether the job may work on an object of its bucket. */
    boolean mayTouch(ObjectKey key) {
        return allows(Right.READ, AccessScope.object(bucket, key)) || operates();
    }

    /** Returns a task that fails for objects that the owner may not read or, in the target, write or delete. */
    ObjectTask guarded(ObjectTask task) {
        return (item, mayBeDone, transfer) ->
                missing(item).map(JobAuthorizer::denied).orElseGet(() -> task.run(item, mayBeDone, transfer));
    }

    /** Returns the right that the owner lacks for an object. */
    private Optional<Right> missing(PlanItem item) {
        if (readsObjects() && !job.type().makesItems() && !item.isExtra() && !mayTouch(item.key())) {
            return Optional.of(Right.READ);
        }
        return spec.to()
                .map(JobDestination::bucket)
                .flatMap(target -> rights.onTarget()
                        .flatMap(right -> missing(item, target, item.isExtra() ? Right.DELETE : right)));
    }

    private Optional<Right> missing(PlanItem item, BucketName target, Right right) {
        List<ObjectKey> keys;
        try {
            keys = job.type().keys(item).stream().map(job.names()::renamed).toList();
        } catch (IllegalArgumentException noKey) {
            // The task reports it.
            return Optional.empty();
        }
        if (rights.carriesTags() && !item.isExtra()) {
            if (denies(PolicyAction.GET_OBJECT_TAGGING, bucket, item.key())) {
                return Optional.of(Right.READ);
            }
            if (keys.stream().anyMatch(key -> denies(PolicyAction.PUT_OBJECT_TAGGING, target, key))) {
                return Optional.of(Right.WRITE);
            }
        }
        boolean isAllowed = keys.stream().allMatch(key -> allows(right, AccessScope.object(target, key)));
        return isAllowed ? Optional.empty() : Optional.of(right);
    }

    private static Mono<TaskResult> denied(Right right) {
        return Mono.just(TaskResult.failed(0, "AccessDenied, its owner lacks the right " + right.text()));
    }

    private void requireRead(BucketName lists, ObjectKey key) {
        require(allows(Right.READ, AccessScope.object(lists, key)), Right.READ, place(lists, key.value()));
    }

    private static String place(BucketName bucket, String key) {
        return "s3://" + bucket + "/" + key;
    }

    private static void require(boolean allowed, Right right, String where) {
        if (!allowed) {
            throw new JobException(
                    JobException.Kind.DENIED, "this job needs the right " + right.text() + " on " + where);
        }
    }
}
