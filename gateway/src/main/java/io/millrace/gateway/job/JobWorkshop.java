package io.millrace.gateway.job;

import io.millrace.backend.spi.ObjectKey;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.freshness.ReadAhead;
import io.millrace.gateway.job.Selection.Source;
import io.millrace.gateway.job.plan.Plan;
import io.millrace.gateway.job.plan.Plans;
import java.util.List;
import java.util.Optional;

/** Makes of what a job is to do the plan and the task that do it. */
final class JobWorkshop {
    private final Buckets buckets;
    private final Optional<ReadAhead> ahead;

    /** @param ahead none if there is no cache */
    JobWorkshop(Buckets buckets, Optional<ReadAhead> ahead) {
        this.buckets = buckets;
        this.ahead = ahead;
    }

    /**
     * @throws JobException of kind UNSUPPORTED if this gateway has no cache to bring objects into
     * @throws InvalidJobException if a bucket is none
     */
    void require(JobSpec spec) {
        bucket(spec);
        task(spec);
    }

    Plan plan(JobSpec spec, List<Failure> failuresOfAnother) {
        BucketView bucket = bucket(spec);
        return Plans.filtered(
                source(spec, bucket, failuresOfAnother), spec.from().filter());
    }

    private static Plan source(JobSpec spec, BucketView bucket, List<Failure> failuresOfAnother) {
        Source source = spec.from().source();
        if (source instanceof Source.Listing listing) {
            return Plans.listing(
                    bucket, listing.prefix(), Failures.retry(spec.limits().attempts()));
        }
        if (source instanceof Source.Template template) {
            return Plans.template(template.names());
        }
        if (source instanceof Source.Keys keys) {
            return Plans.keys(keys.keys());
        }
        if (source instanceof Source.FailuresOf) {
            return Plans.keys(failuresOfAnother.stream()
                    .map(failure -> new ObjectKey(failure.key()))
                    .toList());
        }
        throw new InvalidJobException("from.manifest", "is not served yet");
    }

    ObjectTask task(JobSpec spec) {
        return switch (spec.kind()) {
            case PREFETCH ->
                new PrefetchTask(
                        ahead.orElseThrow(() -> new JobException(
                                JobException.Kind.UNSUPPORTED,
                                "there is no cache to bring objects into: add a disk below cache.disks")),
                        bucket(spec),
                        spec);
            case COPY, DOWNLOAD, EVICT, VERIFY -> throw new InvalidJobException("kind", "is not served yet");
        };
    }

    private BucketView bucket(JobSpec spec) {
        try {
            return buckets.find(spec.from().bucket());
        } catch (S3Exception none) {
            throw new InvalidJobException("from.bucket", "is no bucket of this gateway");
        }
    }
}
