package io.millrace.cache.disk;

import io.millrace.cache.eviction.QuotaController;
import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.index.IndexSampler.Resident;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.residency.GroupResidencyCounter;
import io.millrace.cache.residency.GroupResidencyCounter.Limited;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Limits the cache space of each configured group of objects: when a stored block exceeds the quota, another block of
 * the group is removed from the index. Its space is freed with its segment. Used by the disks' writers.
 */
final class GroupQuotaEnforcer {
    /** Bytes for padding and a footer. */
    private static final int SPARE = 64 << 10;

    /**
     * Records per flush whose identity is read to learn whether they are pinned: each is a read that the writer waits
     * for. Others rank between those known to be pinned and those known not to be.
     */
    private static final int MOST_LOOKUPS = 64;

    /** Trim steps per victim segment, each of some blocks: they take part of a second at most. */
    private static final int MOST_STEPS = 256;

    private final GroupResidencyCounter groups;
    private final BlockIndex index;
    private final SegmentTable segments;
    private final PinnedBlockFilter pins;
    private final CacheEventListener recorder;

    /** Results since {@link #flushes}, because the records of least worth come up again and again. */
    private final Map<Fingerprint, QuotaController.Retention> seen = new HashMap<>();

    GroupQuotaEnforcer(
            GroupResidencyCounter groups,
            BlockIndex index,
            SegmentTable segments,
            PinnedBlockFilter pins,
            CacheEventListener recorder) {
        this.groups = groups;
        this.index = index;
        this.segments = segments;
        this.pins = pins;
        this.recorder = recorder;
    }

    /**
     * Returns the bytes of a segment that are copied when it is evicted for a record, so that the record fits after
     * them.
     */
    static long spared(long segmentBytes, BlockToWrite draft) {
        long left = segmentBytes - RecordHeader.recordBytes(draft) - SPARE;
        return Math.max(0, Math.min((long) (segmentBytes * QuotaController.SPARED), left));
    }

    /** Begins a flush, whose records are passed to {@link #stored}. */
    void flushes() {
        seen.clear();
    }

    /** Enforces quotas after a record was stored on a disk whose writer is the caller. */
    void stored(SegmentFooterEntry record, DiskReadThreads reads) {
        for (Limited limited : groups.limited(groups.group(record.label()))) {
            limited.quota().stored(record.key(), index, own(limited.group(), reads));
        }
    }

    /** Returns whether a quota that a draft counts for is used up, so that it replaces blocks of its own group. */
    boolean areUsedUpFor(BlockToWrite draft) {
        return groups.isNearlyUsedUp(draft.identity());
    }

    /**
     * Removes blocks of groups that are far beyond their quota, least worth first. Called before an eviction on a disk
     * whose writer is the caller. A start may find removed blocks again, so without this the eviction would hit blocks
     * at random.
     */
    void trim(DiskReadThreads reads) {
        seen.clear();
        for (Limited limited : groups.limited()) {
            QuotaController quota = limited.quota();
            boolean goesOn = quota.isFarOver();
            for (int step = 0; goesOn && step < MOST_STEPS; step++) {
                goesOn = quota.trim(index, own(limited.group(), reads));
                reads.writerProgressed();
            }
        }
    }

    /**
     * Returns whether a record's group is so far beyond its quota that the record is not copied, as after the quota was
     * lowered.
     */
    boolean isFarOverQuota(SegmentFooterEntry record) {
        return groups.limited(groups.group(record.label())).stream()
                .anyMatch(limited -> limited.quota().isFarOver());
    }

    private QuotaController.Own own(int group, DiskReadThreads reads) {
        return new QuotaController.Own() {
            @Override
            public boolean has(Resident resident) {
                return groups.isWithin(resident.group(), group);
            }

            @Override
            public QuotaController.Retention retention(Fingerprint key) {
                return pins.isEmpty() ? QuotaController.Retention.NO : lookup(key, reads);
            }

            @Override
            public boolean takeOut(Fingerprint key) {
                IndexEntry entry = index.find(key);
                if (entry == null || !groups.isWithin(entry.group(), group) || !index.remove(key, entry.place())) {
                    return false;
                }
                recorder.removedForQuota(entry.bodyBytes());
                return true;
            }
        };
    }

    private QuotaController.Retention lookup(Fingerprint key, DiskReadThreads reads) {
        QuotaController.@Nullable Retention retention = seen.get(key);
        if (retention != null) {
            return retention;
        }
        IndexEntry entry = index.find(key);
        @Nullable Segment segment = entry == null ? null : segments.get(entry.segment());
        if (entry == null || segment == null) {
            return QuotaController.Retention.NO;
        }
        boolean isOwn = segment.reads().equals(reads) && !reads.areBypassed();
        if (!isOwn || seen.size() == MOST_LOOKUPS) {
            // A writer must not wait for another disk, nor long for its own.
            return QuotaController.Retention.UNKNOWN;
        }
        QuotaController.Retention result = segment.acquire() && isWanted(entry, segment)
                ? QuotaController.Retention.YES
                : QuotaController.Retention.NO;
        seen.put(key, result);
        reads.writerProgressed();
        return result;
    }

    /** Reads the identity, and releases the segment. */
    private boolean isWanted(IndexEntry entry, Segment segment) {
        try {
            int beforeBody = (int) (entry.bodyPosition() - entry.start());
            return RecordHeader.identity(segment.file(), entry.start(), beforeBody, header -> true)
                    .filter(pins::matches)
                    .isPresent();
        } catch (IOException e) {
            // The next reader meets the error again.
            return false;
        } finally {
            segment.release();
        }
    }
}
