package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.store.PendingUploadStore;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.kit.share.FairSemaphore;
import java.time.InstantSource;
import java.util.Optional;

/**
 * The parts of this gateway that all its jobs share.
 *
 * @param cache empty if there is no cache
 * @param fetcher for downloads
 * @param blocks permits of the blocks that downloads of unknown length hold
 */
record JobServices(
        FencedWrites writes,
        Optional<JobCacheAccess> cache,
        HttpFetcher fetcher,
        FairSemaphore blocks,
        InstantSource clock) {
    /**
     * Returns the cache.
     *
     * @throws JobException of kind UNSUPPORTED if there is none
     */
    JobCacheAccess requiredCache() {
        return cache.orElseThrow(() -> new JobException(
                JobException.Kind.UNSUPPORTED, "this gateway has no cache: add a disk below cache.disks"));
    }

    /**
     * Makes what begins and aborts the uploads of a job.
     *
     * @param notes the pending uploads of the job
     */
    JobUploadLifecycle uploads(BucketRegistry buckets, PendingUploadStore notes) {
        return new JobUploadLifecycle(buckets, notes, clock);
    }
}
