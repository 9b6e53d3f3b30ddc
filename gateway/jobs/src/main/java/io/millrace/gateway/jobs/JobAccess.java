package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.jobs.plan.JobDestination;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import io.millrace.gateway.jobs.store.StoredJob;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The rights and buckets of one version of the settings. A run of a job uses one from its beginning to its end.
 *
 * @param credentials finds the owner of a job, whose rights it has, and knows what is revoked whatever the version
 */
public record JobAccess(Authorizer authorizer, CredentialFinder credentials, BucketRegistry buckets) {
    /** Returns whether the owner of a job, or the job itself as one of all before a time, is revoked. */
    boolean isRevoked(StoredJob job) {
        return credentials
                .named(job.owner())
                .filter(owner -> credentials.isRevoked(owner, job.submitted()))
                .isPresent();
    }

    /** Joins a parsed request with its kind and these buckets. */
    JobContext contextOf(JobSpec spec, JobServices services) {
        return new JobContext(JobTypes.of(spec), spec, buckets, services);
    }

    /** Returns whether a job has the same rights and buckets in both versions. */
    boolean isSameFor(String owner, JobSpec spec, JobAccess other) {
        Optional<Principal> here = credentials.named(owner);
        Optional<Principal> there = other.credentials.named(owner);
        return here.isPresent()
                && there.isPresent()
                && here.get().hasRightsOf(there.get())
                && bucketsOf(spec).allMatch(name -> isSame(buckets.findAny(name), other.buckets.findAny(name)));
    }

    private static Stream<BucketName> bucketsOf(JobSpec spec) {
        Stream<BucketName> lists =
                spec.from().source() instanceof Source.Manifest manifest ? Stream.of(manifest.in()) : Stream.empty();
        return Stream.concat(
                Stream.of(spec.from().bucket()), Stream.concat(spec.to().map(JobDestination::bucket).stream(), lists));
    }

    private static boolean isSame(Optional<BucketView> here, Optional<BucketView> there) {
        return here.isPresent()
                && there.isPresent()
                && here.get().settings().equals(there.get().settings())
                && here.get().backend() == there.get().backend();
    }
}
