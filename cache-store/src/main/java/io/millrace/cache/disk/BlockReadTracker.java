package io.millrace.cache.disk;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.eviction.ShadowCaches;
import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.monitor.CacheEventListener;

/**
 * Tracks what reads of stored blocks tell: how often each is read, which bytes are in memory now, and which blocks
 * are verified, corrupt or unreadable. Safe for use by any number of threads.
 */
final class BlockReadTracker {
    private final BlockIndex index;
    private final AdmissionAndEvictionPolicy policy;
    private final ShadowCaches shadowCaches;
    private final PageCacheEstimate pageCache;
    private final CorruptRecordReporter corrupt;
    private final CacheEventListener recorder;

    BlockReadTracker(
            BlockIndex index,
            AdmissionAndEvictionPolicy policy,
            ShadowCaches shadowCaches,
            PageCacheEstimate pageCache,
            CacheEventListener recorder) {
        this.index = index;
        this.policy = policy;
        this.shadowCaches = shadowCaches;
        this.pageCache = pageCache;
        this.corrupt = new CorruptRecordReporter(recorder);
        this.recorder = recorder;
    }

    /** Counts a read of a block, whether or not it is cached. */
    void used(Fingerprint key, int bytes) {
        policy.used(key);
        shadowCaches.read(key, bytes);
    }

    PageCacheEstimate pageCache() {
        return pageCache;
    }

    void verified(Fingerprint key, IndexEntry entry) {
        index.verified(key, entry.place());
    }

    /** Reports a record that is corrupt, and removes its block. */
    void corrupt(Fingerprint key, IndexEntry entry, Segment segment) {
        boolean unused = corrupt.report(segment, entry.start());
        remove(key, entry);
    }

    /** Counts a failed read against its disk, and removes the block. */
    void unreadable(Fingerprint key, IndexEntry entry, Segment segment, Throwable failure) {
        recorder.diskError();
        segment.reads().failed(failure);
        remove(key, entry);
    }

    void remove(Fingerprint key, IndexEntry entry) {
        boolean unused = index.remove(key, entry.place());
    }
}
