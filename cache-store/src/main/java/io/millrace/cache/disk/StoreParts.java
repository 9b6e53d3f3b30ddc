package io.millrace.cache.disk;

import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.eviction.GhostCaches;
import io.millrace.cache.group.Groups;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.Index;
import io.millrace.cache.monitor.CacheRecorder;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the disks of a store share.
 *
 * @param numbers the last number given to a segment
 * @param ghosts told of each read of a block
 * @param groups what is counted together; the index tells them what comes and goes
 * @param kept what stays whether or not it is used
 */
record StoreParts(
        FingerprintHash hash,
        Index index,
        SegmentTable segments,
        AtomicInteger numbers,
        EvictionPolicy policy,
        GhostCaches ghosts,
        Groups groups,
        KeptRecords kept,
        LikelyInMemory likelyInMemory,
        CacheRecorder recorder) {}
