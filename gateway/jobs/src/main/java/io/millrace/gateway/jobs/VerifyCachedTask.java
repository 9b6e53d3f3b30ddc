package io.millrace.gateway.jobs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CacheBackendComparison;
import io.millrace.gateway.objects.read.CacheBackendComparison.ComparisonResult;
import io.millrace.gateway.objects.read.CacheResidency;
import io.millrace.kit.async.RateLimiter;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Job task for one object: compares its cached blocks with its backend. Blocks that differ, are corrupt or cannot be
 * read are dropped and fail the object.
 *
 * @param bandwidth limits the bytes read from the backend
 */
record VerifyCachedTask(
        CacheResidency residents, CacheBackendComparison bytes, BucketView bucket, RateLimiter bandwidth)
        implements ObjectTask {
    @Override
    public Mono<TaskResult> run(PlanItem item, boolean mayBeDone, ObjectAttemptProgress transfer) {
        return Mono.defer(() -> residents.find(bucket, bucket.at(item.key()), item.versionId()))
                .flatMap(this::compare)
                .defaultIfEmpty(TaskResult.skipped(item.size(), "it is not cached"));
    }

    private Mono<TaskResult> compare(ObjectMetadata head) {
        Found found = new Found();
        return bytes.compare(bucket, head, bandwidth::take)
                .doOnNext(found::add)
                .then(Mono.fromSupplier(() -> ended(head, found.all)))
                .onErrorResume(VerifyCachedTask::isOld, old -> {
                    residents.evict(head);
                    return Mono.just(
                            isBad(found.all)
                                    ? ended(head, found.all)
                                    : TaskResult.skipped(
                                            head.size(), "the backend has another version now: it was evicted"));
                })
                // A retry would not find the dropped blocks again.
                .onErrorResume(
                        failure -> isBad(found.all)
                                && FailureClassifier.ofTheJob(failure).isEmpty(),
                        failure -> Mono.just(TaskResult.failed(
                                head.size(),
                                "%s; the rest was not compared: %s"
                                        .formatted(reason(found.all), FailureClassifier.text(failure)))));
    }

    /** Sums up the comparisons of single blocks. */
    private static final class Found {
        private volatile ComparisonResult all = ComparisonResult.NONE;

        void add(ComparisonResult one) {
            all = all.plus(one);
        }
    }

    private static TaskResult ended(ObjectMetadata head, ComparisonResult found) {
        return isBad(found)
                ? TaskResult.failed(head.size(), reason(found))
                : TaskResult.done(found.compared(), found.compared());
    }

    private static boolean isBad(ComparisonResult found) {
        return found.wrong() + found.damaged() + found.unreadable() > 0;
    }

    private static String reason(ComparisonResult found) {
        List<String> reasons = new ArrayList<>();
        if (found.wrong() > 0) {
            reasons.add(
                    "%d of its cached blocks differed from the backend's, and were dropped".formatted(found.wrong()));
        }
        if (found.damaged() > 0) {
            reasons.add("%d of its blocks were corrupt in the cache, and were dropped".formatted(found.damaged()));
        }
        if (found.unreadable() > 0) {
            reasons.add("%d of its blocks could not be read from their disk, and were dropped"
                    .formatted(found.unreadable()));
        }
        return String.join("; ", reasons);
    }

    private static boolean isOld(Throwable failure) {
        return FailureClassifier.isAbsent(failure)
                || (failure instanceof BackendException backend && backend.kind() == FailureKind.VERSION_CHANGED);
    }
}
