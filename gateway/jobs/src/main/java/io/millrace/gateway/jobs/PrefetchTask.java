package io.millrace.gateway.jobs;

import io.millrace.cache.fill.PrefetchListener;
import io.millrace.config.DataSize;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.ObjectPrefetcher;
import io.millrace.gateway.objects.read.ObjectPrefetcher.ListedState;
import io.millrace.gateway.objects.read.ObjectPrefetcher.PrefetchResult;
import io.millrace.kit.async.RateLimiter;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Job task for one object: fetches it, or a range of it, into the cache. */
final class PrefetchTask implements ObjectTask {
    /** Bytes of one fetch under a rate limit, which holds on the average of a few fetches. */
    private static final long SLICE = DataSize.ofMebibytes(16).bytes();

    private final ObjectPrefetcher ahead;
    private final BucketView bucket;
    private final JobSpec spec;
    private final RateLimiter bandwidth;

    PrefetchTask(ObjectPrefetcher ahead, BucketView bucket, JobSpec spec) {
        this.ahead = ahead;
        this.bucket = bucket;
        this.spec = spec;
        this.bandwidth = spec.limits().bytes();
    }

    @Override
    public Mono<TaskResult> run(PlanItem item, boolean mayBeDone, ObjectAttemptProgress transfer) {
        Optional<ListedState> expected = item.listed().map(listed -> new ListedState(listed.size(), listed.eTag()));
        long slice = bandwidth.isLimited() ? SLICE : Long.MAX_VALUE / 2;
        return Mono.defer(() -> ahead.prefetch(
                        bucket,
                        bucket.at(item.key()),
                        spec.range(),
                        expected,
                        slice,
                        bandwidth::take,
                        progress(transfer)))
                .map(brought -> ended(brought, mayBeDone));
    }

    private static PrefetchListener progress(ObjectAttemptProgress transfer) {
        return (bytes, brought) -> {
            if (brought) {
                transfer.moved(bytes);
            } else {
                transfer.present(bytes);
            }
        };
    }

    /**
     * Returns the result of an object. What was on its way when the job was stopped has been stored since: it is work
     * of the job.
     */
    private static TaskResult ended(PrefetchResult brought, boolean mayBeDone) {
        return brought.fetched() == 0 && brought.wanted() > 0 && !mayBeDone
                ? TaskResult.skipped(brought.wanted(), "it was cached")
                : TaskResult.done(brought.wanted(), brought.fetched());
    }
}
