package io.millrace.gateway.jobs;

import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PrefixRenaming;
import io.millrace.gateway.jobs.progress.TaskResult;
import io.millrace.gateway.jobs.request.JobKind;
import io.millrace.gateway.jobs.request.JobSpec;
import io.millrace.gateway.jobs.request.JobTarget;
import io.millrace.gateway.jobs.request.ObjectSelection.Source;
import io.millrace.gateway.jobs.request.OverwriteMode;
import io.millrace.gateway.jobs.request.UrlListEntry;
import io.millrace.gateway.jobs.task.ObjectTask;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import reactor.core.publisher.Mono;

/**
 * What a job's owner must be allowed: what can be told beforehand is asked when the job is submitted and when it starts, the rest of
 * each object in its turn.
 */
final class JobAuthorizer {
    /** Kinds that need no more than rights on objects. The others are the operator's. */
    private static final Set<JobKind> OF_OBJECTS = EnumSet.of(JobKind.PREFETCH, JobKind.COPY);

    private final AccessPolicy policy;

    JobAuthorizer(AccessPolicy policy) {
        this.policy = policy;
    }

    /**
     * @throws JobException of kind DENIED if the job cannot be one of this owner
     */
    void require(Principal who, JobSpec spec) {
        BucketName bucket = spec.from().bucket();
        if (spec.kind() == JobKind.DOWNLOAD) {
            requireDownload(who, spec);
            return;
        }
        if (!OF_OBJECTS.contains(spec.kind())) {
            require(policy.allows(who, Right.ADMIN, bucket, Optional.empty()), Right.ADMIN, "bucket " + bucket);
        }
        require(policy.allowsSomewhere(who, Right.READ, bucket), Right.READ, "bucket " + bucket);
        if (spec.from().source() instanceof Source.Listing listing) {
            require(policy.allowsListing(who, bucket, listing.prefix()), Right.LIST, place(bucket, listing.prefix()));
        } else if (spec.from().source() instanceof Source.Keys keys) {
            keys.keys().forEach(key -> requireRead(who, bucket, key));
        } else if (spec.from().source() instanceof Source.Manifest manifest) {
            requireRead(who, manifest.in(), manifest.key());
        }
        spec.to().ifPresent(to -> requireTarget(who, spec, to));
    }

    /** Which objects a manifest may name as further lists: those that the owner could read himself. */
    Predicate<ObjectKey> readable(Principal who, JobSpec spec) {
        return spec.from().source() instanceof Source.Manifest manifest
                ? key -> policy.allows(who, Right.READ, manifest.in(), Optional.of(key))
                : key -> false;
    }

    /** The web is read from where the gateway stands, so that this is the operator's; its list of URLs is read as any object. */
    private void requireDownload(Principal who, JobSpec spec) {
        BucketName to = spec.from().bucket();
        require(policy.allows(who, Right.ADMIN, to, Optional.empty()), Right.ADMIN, "bucket " + to);
        require(policy.allowsSomewhere(who, Right.WRITE, to), Right.WRITE, "bucket " + to);
        if (spec.from().source() instanceof Source.Manifest manifest) {
            requireRead(who, manifest.in(), manifest.key());
        }
    }

    private void requireTarget(Principal who, JobSpec spec, JobTarget to) {
        Right right = rightOn(spec);
        require(policy.allowsSomewhere(who, right, to.bucket()), right, "bucket " + to.bucket());
        if (spec.deleteExtra()) {
            require(policy.allowsSomewhere(who, Right.DELETE, to.bucket()), Right.DELETE, "bucket " + to.bucket());
        }
        boolean listed = spec.from().source() instanceof Source.Listing
                && (spec.which() != OverwriteMode.ALL || spec.deleteExtra());
        require(
                !listed || policy.allowsListing(who, to.bucket(), to.prefix()),
                Right.LIST,
                place(to.bucket(), to.prefix()));
    }

    /** What is done with objects of the target. */
    private static Right rightOn(JobSpec spec) {
        return spec.kind() == JobKind.COPY ? Right.WRITE : Right.READ;
    }

    /** The same task, which fails for an object that its owner may not read, or write or delete in the target. */
    ObjectTask guarded(Principal who, JobSpec spec, PrefixRenaming names, ObjectTask task) {
        return (item, doubtful, transfer) -> missing(who, spec, names, item)
                .map(JobAuthorizer::denied)
                .orElseGet(() -> task.run(item, doubtful, transfer));
    }

    /** The right that its owner lacks for an object. */
    private Optional<Right> missing(Principal who, JobSpec spec, PrefixRenaming names, PlanItem item) {
        BucketName bucket = spec.from().bucket();
        if (spec.kind() == JobKind.DOWNLOAD) {
            return missing(who, bucket, names, item);
        }
        if (!item.isExtra() && !policy.allows(who, Right.READ, bucket, Optional.of(item.key()))) {
            return Optional.of(Right.READ);
        }
        if (spec.to().isEmpty()) {
            return Optional.empty();
        }
        Right right = item.isExtra() ? Right.DELETE : rightOn(spec);
        BucketName target = spec.to().orElseThrow().bucket();
        return policy.allows(who, right, target, Optional.of(names.renamed(item.key())))
                ? Optional.empty()
                : Optional.of(right);
    }

    private Optional<Right> missing(Principal who, BucketName to, PrefixRenaming names, PlanItem item) {
        try {
            ObjectKey key = names.renamed(UrlListEntry.parse(item.name()).key());
            return policy.allows(who, Right.WRITE, to, Optional.of(key)) ? Optional.empty() : Optional.of(Right.WRITE);
        } catch (IllegalArgumentException noLine) {
            // The task says what is wrong with it.
            return Optional.empty();
        }
    }

    private static Mono<TaskResult> denied(Right right) {
        return Mono.just(TaskResult.failed(0, "AccessDenied, its owner lacks the right " + right.text()));
    }

    private void requireRead(Principal who, BucketName bucket, ObjectKey key) {
        require(policy.allows(who, Right.READ, bucket, Optional.of(key)), Right.READ, place(bucket, key.value()));
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
