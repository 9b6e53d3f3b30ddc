package io.millrace.gateway.job;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.cache.CachedHead;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.freshness.CachedBytes;
import io.millrace.gateway.freshness.Residents;
import io.millrace.gateway.job.plan.Item;
import reactor.core.publisher.Mono;

/** Holds what is cached of an object against its backend; what differs is dropped, and counts as a failure. */
final class VerifyCachedTask implements ObjectTask {
    private final Residents residents;
    private final CachedBytes bytes;
    private final BucketView bucket;
    private final Pace bandwidth;

    /** @param bandwidth of what is asked of the backend */
    VerifyCachedTask(Residents residents, CachedBytes bytes, BucketView bucket, Pace bandwidth) {
        this.residents = residents;
        this.bytes = bytes;
        this.bucket = bucket;
        this.bandwidth = bandwidth;
    }

    @Override
    public Mono<Ended> run(Item item, boolean doubtful) {
        return Mono.defer(() -> residents.find(bucket, bucket.at(item.key()), item.versionId()))
                .flatMap(this::compare)
                .defaultIfEmpty(Ended.skipped(item.size(), "it is not cached"));
    }

    private Mono<Ended> compare(CachedHead head) {
        return bytes.compare(bucket, head, bandwidth::take)
                .map(compared -> compared.wrong() == 0
                        ? Ended.done(compared.compared(), compared.compared())
                        : Ended.failed(
                                head.size(),
                                "%d of its cached blocks differed from the backend's, and were dropped"
                                        .formatted(compared.wrong())))
                .onErrorResume(VerifyCachedTask::isOld, old -> {
                    residents.evict(head);
                    return Mono.just(Ended.skipped(head.size(), "the backend has another version now: it was evicted"));
                });
    }

    private static boolean isOld(Throwable failure) {
        return Failures.isAbsent(failure)
                || (failure instanceof BackendException backend && backend.kind() == Kind.VERSION_CHANGED);
    }
}
