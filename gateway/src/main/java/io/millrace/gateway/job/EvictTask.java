package io.millrace.gateway.job;

import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.freshness.Residents;
import io.millrace.gateway.job.plan.Item;
import reactor.core.publisher.Mono;

/** Takes an object out of the cache. */
final class EvictTask implements ObjectTask {
    private final Residents residents;
    private final BucketView bucket;

    EvictTask(Residents residents, BucketView bucket) {
        this.residents = residents;
        this.bucket = bucket;
    }

    @Override
    public Mono<Ended> run(Item item, boolean doubtful, Transfer transfer) {
        return Mono.defer(() -> residents.find(bucket, bucket.at(item.key()), item.versionId()))
                .map(head -> Ended.done(head.size(), residents.evict(head)))
                .defaultIfEmpty(Ended.skipped(item.size(), "it is not cached"));
    }
}
