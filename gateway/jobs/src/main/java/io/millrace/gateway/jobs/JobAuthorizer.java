package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PrefixRenaming;
import io.millrace.gateway.jobs.progress.TaskResult;
import io.millrace.gateway.jobs.request.JobDestination;
import io.millrace.gateway.jobs.request.JobKind;
import io.millrace.gateway.jobs.request.JobSpec;
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
 * Checks the rights of a job's owner: those on the buckets when the job is submitted and when it starts, those on each
 * object right before its task.
 */
final class JobAuthorizer {
    /** Kinds for which rights on objects are enough. All others need the right {@code operate}, or {@code admin}. */
    private static final Set<JobKind> OF_OBJECTS = EnumSet.of(JobKind.PREFETCH, JobKind.COPY);

    private final Authorizer authorizer;

    JobAuthorizer(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    /**
     * Requires the rights on the buckets of a job.
     *
     * @throws JobException of kind DENIED if the owner lacks a right
     */
    void require(Principal owner, JobSpec spec) {
        BucketName bucket = spec.from().bucket();
        if (spec.kind() == JobKind.DOWNLOAD) {
            requireDownload(owner, spec);
            return;
        }
        if (!OF_OBJECTS.contains(spec.kind())) {
            require(
                    authorizer.allows(owner, Right.OPERATE.action(), bucket, Optional.empty()),
                    Right.OPERATE,
                    "bucket " + bucket);
        }
        boolean operates = operates(owner, spec);
        require(
                operates || authorizer.allowsSomewhere(owner, Right.READ.action(), bucket),
                Right.READ,
                "bucket " + bucket);
        if (spec.from().source() instanceof Source.Listing listing) {
            require(
                    authorizer.allowsListing(owner, bucket, listing.prefix()) || operates,
                    Right.LIST,
                    place(bucket, listing.prefix()));
        } else if (spec.from().source() instanceof Source.Keys keys) {
            keys.keys().forEach(key -> require(mayTouch(owner, spec, key), Right.READ, place(bucket, key.value())));
        } else if (spec.from().source() instanceof Source.Manifest manifest) {
            requireRead(owner, manifest.in(), manifest.key());
        }
        spec.to().ifPresent(to -> requireTarget(owner, spec, to));
    }

    /**
     * Returns a predicate for the objects of the manifest's bucket that the owner may read; a manifest may name such as
     * further lists.
     */
    Predicate<ObjectKey> readable(Principal owner, JobSpec spec) {
        return spec.from().source() instanceof Source.Manifest manifest
                ? key -> authorizer.allows(owner, Right.READ.action(), manifest.in(), Optional.of(key))
                : key -> false;
    }

    /**
     * Downloads use the gateway's own network, so they need the right {@code admin}. A list of URLs needs the right to
     * read it.
     */
    private void requireDownload(Principal owner, JobSpec spec) {
        BucketName to = spec.from().bucket();
        require(authorizer.allows(owner, Right.ADMIN.action(), to, Optional.empty()), Right.ADMIN, "bucket " + to);
        require(authorizer.allowsSomewhere(owner, Right.WRITE.action(), to), Right.WRITE, "bucket " + to);
        if (spec.from().source() instanceof Source.Manifest manifest) {
            requireRead(owner, manifest.in(), manifest.key());
        }
    }

    private void requireTarget(Principal owner, JobSpec spec, JobDestination to) {
        Right right = rightOn(spec);
        require(authorizer.allowsSomewhere(owner, right.action(), to.bucket()), right, "bucket " + to.bucket());
        if (spec.deleteExtra()) {
            require(
                    authorizer.allowsSomewhere(owner, Right.DELETE.action(), to.bucket()),
                    Right.DELETE,
                    "bucket " + to.bucket());
        }
        boolean listed = spec.from().source() instanceof Source.Listing
                && (spec.overwrite() != OverwriteMode.ALWAYS || spec.deleteExtra());
        require(
                !listed || authorizer.allowsListing(owner, to.bucket(), to.prefix()),
                Right.LIST,
                place(to.bucket(), to.prefix()));
    }

    /**
     * Returns whether the job works on the cache alone, in a bucket that its owner operates and where nothing is denied. It gives
     * nobody the objects.
     */
    private boolean operates(Principal owner, JobSpec spec) {
        return spec.kind() != JobKind.COPY
                && spec.to().isEmpty()
                && authorizer.allowsThroughout(
                        owner, Right.OPERATE.action(), spec.from().bucket());
    }

    private boolean mayTouch(Principal owner, JobSpec spec, ObjectKey key) {
        return authorizer.allows(owner, Right.READ.action(), spec.from().bucket(), Optional.of(key))
                || operates(owner, spec);
    }

    /** Returns the right that the job needs on objects of the target. */
    private static Right rightOn(JobSpec spec) {
        return spec.kind() == JobKind.COPY ? Right.WRITE : Right.READ;
    }

    /** Returns a task that fails for objects that the owner may not read or, in the target, write or delete. */
    ObjectTask guarded(Principal owner, JobSpec spec, PrefixRenaming names, ObjectTask task) {
        return (item, mayBeDone, transfer) -> missing(owner, spec, names, item)
                .map(JobAuthorizer::denied)
                .orElseGet(() -> task.run(item, mayBeDone, transfer));
    }

    /** Returns the right that the owner lacks for an object. */
    private Optional<Right> missing(Principal owner, JobSpec spec, PrefixRenaming names, PlanItem item) {
        BucketName bucket = spec.from().bucket();
        if (spec.kind() == JobKind.DOWNLOAD) {
            return missing(owner, bucket, names, item);
        }
        if (!item.isExtra() && !mayTouch(owner, spec, item.key())) {
            return Optional.of(Right.READ);
        }
        if (spec.to().isEmpty()) {
            return Optional.empty();
        }
        BucketName target = spec.to().orElseThrow().bucket();
        if (spec.kind() == JobKind.COPY && !item.isExtra()) {
            // A copy carries tags along.
            if (authorizer.denies(owner, PolicyAction.GET_OBJECT_TAGGING, bucket, Optional.of(item.key()))) {
                return Optional.of(Right.READ);
            }
            ObjectKey copy = names.renamed(item.key());
            if (authorizer.denies(owner, PolicyAction.PUT_OBJECT_TAGGING, target, Optional.of(copy))) {
                return Optional.of(Right.WRITE);
            }
        }
        Right right = item.isExtra() ? Right.DELETE : rightOn(spec);
        return authorizer.allows(owner, right.action(), target, Optional.of(names.renamed(item.key())))
                ? Optional.empty()
                : Optional.of(right);
    }

    private Optional<Right> missing(Principal owner, BucketName to, PrefixRenaming names, PlanItem item) {
        try {
            ObjectKey key = names.renamed(UrlListEntry.parse(item.name()).key());
            return authorizer.allows(owner, Right.WRITE.action(), to, Optional.of(key))
                    ? Optional.empty()
                    : Optional.of(Right.WRITE);
        } catch (IllegalArgumentException noLine) {
            // The task reports the parse error.
            return Optional.empty();
        }
    }

    private static Mono<TaskResult> denied(Right right) {
        return Mono.just(TaskResult.failed(0, "AccessDenied, its owner lacks the right " + right.text()));
    }

    private void requireRead(Principal owner, BucketName bucket, ObjectKey key) {
        require(
                authorizer.allows(owner, Right.READ.action(), bucket, Optional.of(key)),
                Right.READ,
                place(bucket, key.value()));
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
