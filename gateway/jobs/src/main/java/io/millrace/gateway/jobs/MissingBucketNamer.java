package io.millrace.gateway.jobs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.store.JobCannotContinueException;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Names the bucket of a job that its backend does not have, or whose name it refuses, as the job's owner knows it, and
 * says whether it is source or target, and whether the backend has another name for it. That name is the operator's.
 */
final class MissingBucketNamer {
    private final List<JobEnd> ends;

    /** A bucket of a job: its source or its target. */
    private record JobEnd(String word, BucketView bucket) {
        private String text() {
            String own = "the %s bucket '%s'".formatted(word, bucket.name());
            return bucket.backendBucket().equals(bucket.name()) ? own : own + ", which has another name there";
        }
    }

    private MissingBucketNamer(JobEnd... ends) {
        this.ends = Arrays.stream(ends).toList();
    }

    static MissingBucketNamer ofSource(BucketView bucket) {
        return new MissingBucketNamer(new JobEnd("source", bucket));
    }

    static MissingBucketNamer ofTarget(BucketView bucket) {
        return new MissingBucketNamer(new JobEnd("target", bucket));
    }

    static MissingBucketNamer ofBoth(BucketView source, BucketView target) {
        return new MissingBucketNamer(new JobEnd("source", source), new JobEnd("target", target));
    }

    Plan naming(Plan plan) {
        return position -> plan.from(position).onErrorMap(BackendException.class, this::named);
    }

    ObjectTask naming(ObjectTask task) {
        return (item, mayBeDone, transfer) ->
                task.run(item, mayBeDone, transfer).onErrorMap(BackendException.class, this::named);
    }

    private Exception named(BackendException failure) {
        if (failure.kind() != FailureKind.NO_SUCH_BUCKET && !failure.isOfBucketName()) {
            return failure;
        }
        List<JobEnd> possible = ends.stream()
                .filter(end -> failure.backend()
                        .map(end.bucket().backendName()::equals)
                        .orElse(true))
                .toList();
        return possible.isEmpty() ? failure : new JobCannotContinueException(text(possible));
    }

    private static String text(List<JobEnd> possible) {
        return ("backend '%s' does not have %s: correct its name, or let the operator create it there or correct the"
                        + " gateway's file")
                .formatted(
                        possible.get(0).bucket().backendName(),
                        possible.stream().map(JobEnd::text).collect(Collectors.joining(" or ")));
    }
}
