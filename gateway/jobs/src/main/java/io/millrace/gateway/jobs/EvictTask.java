package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CacheResidency;
import reactor.core.publisher.Mono;

/** Job task for one object: removes it from the cache. */
record EvictTask(CacheResidency residents, BucketView bucket) implements ObjectTask {
    @Override
    public Mono<TaskResult> run(PlanItem item, boolean mayBeDone, ObjectAttemptProgress transfer) {
        return Mono.defer(() -> residents.find(bucket, bucket.at(item.key()), item.versionId()))
                .map(head -> TaskResult.done(head.size(), residents.evict(head)))
                .defaultIfEmpty(TaskResult.skipped(item.size(), "it is not cached"));
    }
}
