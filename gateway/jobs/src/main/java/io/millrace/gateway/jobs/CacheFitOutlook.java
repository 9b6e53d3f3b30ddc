package io.millrace.gateway.jobs;

import io.millrace.config.DataSize;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.PlanFactory;
import io.millrace.gateway.jobs.store.JobCannotContinueException;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CacheResidency;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * The outlook of a prefetch: whether what it brings fits into the cache, and how much of it is cached at its end.
 *
 * @param selection the objects of the job
 */
record CacheFitOutlook(JobCacheAccess cache, BucketView bucket, JobSpec spec, Plan selection) implements JobOutlook {
    /** Pinned blocks may have this part of each disk. */
    private static final int PINNED_PART = 2;

    @Override
    public String counted(JobProgress found) {
        long room = room();
        // Names of a template or a list have no sizes before their objects are done.
        long bytes = Math.max(found.foundBytes(), found.doneBytes() + found.skippedBytes());
        if (spec.pinnedUntil().isPresent() && bytes > room / PINNED_PART) {
            throw new JobCannotContinueException(
                    ("its %s cannot be pinned, because pinned objects may have half of the cache, which is %s: pin"
                                    + " fewer, or enlarge the cache. Delete this job to unpin what it has fetched")
                            .formatted(size(bytes), size(room / PINNED_PART)));
        }
        return bytes > room
                ? "its %s do not fit into the cache, which has room for %s: what comes last evicts what came first"
                        .formatted(size(bytes), size(room))
                : "";
    }

    @Override
    public Mono<String> ended(JobProgress all) {
        long wanted = all.doneBytes() + all.skippedBytes();
        boolean isOfOthers = bucket.derived().isPresent();
        return spec.dryRun() || isOfOthers || !mayHaveEvicted(wanted)
                ? Mono.just("")
                : stillCached().map(cached -> ended(wanted, cached));
    }

    private String ended(long wanted, long cached) {
        return cached >= wanted
                ? ""
                : "only %s of its %s are cached still: the cache has room for %s"
                        .formatted(size(cached), size(wanted), size(room()));
    }

    private Mono<Long> stillCached() {
        CacheResidency residents = cache.residents();
        Plan known = spec.from().source() instanceof Source.Listing listing
                ? PlanFactory.filtered(
                        PlanFactory.cached(residents, bucket, listing.prefix()),
                        spec.from().filter())
                : selection;
        return known.from(Optional.empty())
                .filter(item -> item.versionId().isEmpty())
                .concatMap(item -> residents.find(bucket, bucket.at(item.key()), Optional.empty()))
                .map(head -> Math.min(spec.selectedBytes(head.size()), residents.cachedBytes(head)))
                .reduce(0L, Long::sum);
    }

    /** Returns the bytes that the objects may take: those of the disks, or the quota of their bucket. */
    private long room() {
        long available = cache.occupancy().get().available();
        return Math.min(available, cache.residents().quota(bucket).orElse(available));
    }

    /**
     * Returns whether something may have been evicted. The margin is for segments, which are large in a small cache.
     */
    private boolean mayHaveEvicted(long wanted) {
        return wanted > room() / 2
                || cache.occupancy().get().used() > cache.occupancy().get().available() / 2;
    }

    private static DataSize size(long bytes) {
        if (bytes >> 20 < 10) {
            return DataSize.ofKibibytes(bytes >> 10);
        }
        return bytes >> 30 < 10 ? DataSize.ofMebibytes(bytes >> 20) : DataSize.ofGibibytes(bytes >> 30);
    }
}
