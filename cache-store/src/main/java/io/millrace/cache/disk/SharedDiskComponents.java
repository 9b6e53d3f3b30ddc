package io.millrace.cache.disk;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.eviction.ShadowCaches;
import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.residency.GroupResidencyCounter;
import java.util.function.LongSupplier;

/**
 * The components that all disks of the block store share, such as the block index and the eviction policy, for what
 * joins a disk; each class of a disk is given those that it uses.
 *
 * @param shadowCaches shadow caches, which see each read of a block
 * @param groups counts residency; the index reports changes to it
 * @param pins pins against eviction
 */
record SharedDiskComponents(
        FingerprintHash hash,
        BlockIndex index,
        SegmentTable segments,
        AdmissionAndEvictionPolicy policy,
        ShadowCaches shadowCaches,
        GroupResidencyCounter groups,
        PinnedBlockFilter pins,
        PageCacheEstimate pageCache,
        CacheEventListener recorder) {
    /** Returns the sealed segments of a disk, which has none yet. */
    SealedSegments sealedSegments(DiskSpace space) {
        return new SealedSegments(
                space, segments, evictor(() -> (long) (space.limit() * PinnedBlockFilter.SHARE)), recorder);
    }

    /** @param mostCopied bytes that pinned records of the disk may take */
    SegmentEvictor evictor(LongSupplier mostCopied) {
        return new SegmentEvictor(
                index, policy, groups, pins, quotas(), new CorruptRecordReporter(recorder), recorder, mostCopied);
    }

    /** Returns what enforces quotas for one thread. */
    GroupQuotaEnforcer quotas() {
        return new GroupQuotaEnforcer(groups, index, segments, pins, recorder);
    }
}
