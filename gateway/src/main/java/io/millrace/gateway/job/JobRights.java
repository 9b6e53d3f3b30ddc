package io.millrace.gateway.job;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Principal;
import io.millrace.auth.Right;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.gateway.job.Selection.Source;
import io.millrace.gateway.job.plan.Item;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * What a job's owner must be allowed: what can be told beforehand is asked when the job is submitted and when it starts, the rest of
 * each object in its turn.
 */
final class JobRights {
    /** Kinds that need no more than rights on objects. The others are the operator's. */
    private static final Set<JobKind> OF_OBJECTS = EnumSet.of(JobKind.PREFETCH, JobKind.COPY);

    private final AccessPolicy policy;

    JobRights(AccessPolicy policy) {
        this.policy = policy;
    }

    /**
     * @throws JobException of kind DENIED if the job cannot be one of this owner
     */
    void require(Principal who, JobSpec spec) {
        BucketName bucket = spec.from().bucket();
        if (!OF_OBJECTS.contains(spec.kind())) {
            require(policy.allows(who, Right.ADMIN, bucket, Optional.empty()), Right.ADMIN, "bucket " + bucket);
        }
        require(policy.allowsSomewhere(who, Right.READ, bucket), Right.READ, "bucket " + bucket);
        if (spec.from().source() instanceof Source.Listing listing) {
            require(policy.allowsListing(who, bucket, listing.prefix()), Right.LIST, place(bucket, listing.prefix()));
        } else if (spec.from().source() instanceof Source.Keys keys) {
            keys.keys().forEach(key -> requireRead(who, bucket, key));
        } else if (spec.from().source() instanceof Source.Manifest manifest) {
            requireRead(who, bucket, manifest.key());
        }
        spec.to()
                .ifPresent(to -> require(
                        policy.allowsSomewhere(who, Right.WRITE, to.bucket()), Right.WRITE, "bucket " + to.bucket()));
    }

    /** The same task, which fails for an object that its owner may not read. */
    ObjectTask guarded(Principal who, JobSpec spec, ObjectTask task) {
        BucketName bucket = spec.from().bucket();
        return (item, doubtful) -> policy.allows(who, Right.READ, bucket, Optional.of(item.key()))
                ? task.run(item, doubtful)
                : Mono.just(denied(item));
    }

    private static Ended denied(Item item) {
        return Ended.failed(item.size(), "AccessDenied, its owner may not read it");
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
