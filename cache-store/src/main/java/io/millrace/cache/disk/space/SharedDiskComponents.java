package io.millrace.cache.disk.space;

import io.millrace.cache.disk.segment.PageCacheEstimate;
import io.millrace.cache.disk.segment.RecordHeader;
import io.millrace.cache.disk.segment.Segment;
import io.millrace.cache.disk.segment.SegmentTable;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.eviction.ShadowCaches;
import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.residency.GroupResidencyCounter;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The components that all disks of the block store share, such as the block index and the eviction policy.
 *
 * @param numbers the last number given to a segment
 * @param shadowCaches shadow caches, which see each read of a block
 * @param groups counts residency; the index reports changes to it
 * @param pins pins against eviction
 */
public record SharedDiskComponents(
        FingerprintHash hash,
        BlockIndex index,
        SegmentTable segments,
        AtomicInteger numbers,
        AdmissionAndEvictionPolicy policy,
        ShadowCaches shadowCaches,
        GroupResidencyCounter groups,
        PinnedBlockFilter pins,
        PageCacheEstimate pageCache,
        CacheEventListener recorder) {
    private static final Logger log = LoggerFactory.getLogger(SharedDiskComponents.class);

    /**
     * Logs and counts a record that is corrupt, unless it was withdrawn, which a footer does not tell: then nothing is wrong with the
     * disk. Reads its header.
     *
     * @param start of the record in the segment, in bytes
     * @return whether it is corrupt
     */
    public boolean reportCorrupt(Segment segment, long start) {
        if (RecordHeader.isWithdrawn(segment.file(), start)) {
            return false;
        }
        log.warn("A record of {} at {} is corrupt: removed", segment.path(), start);
        recorder.corrupt();
        return true;
    }
}
