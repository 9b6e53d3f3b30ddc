package io.millrace.cache.disk.space;

import io.millrace.cache.disk.io.DiskReadThreads;
import io.millrace.cache.disk.segment.BlockDraft;
import io.millrace.cache.disk.segment.FooterEntry;
import io.millrace.cache.disk.segment.RecordHeader;
import io.millrace.cache.disk.segment.Segment;
import io.millrace.cache.eviction.QuotaController;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.index.IndexSampler.Resident;
import io.millrace.cache.residency.ResidencyGroups.Limited;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps groups to their share of the cache: when a block of theirs is stored beyond it, another of theirs is not found any more, and
 * what it took goes with its segment. Used by the disks' writers.
 */
public final class QuotaEnforcer {
    /** For paddings, and a footer. */
    private static final int SPARE = 64 << 10;

    /**
     * So many are looked at for one flush, whether they should stay: each is a read of the disk, which waits for it. The rest goes
     * before what is known to stay, and behind what is not to.
     */
    private static final int MOST_LOOKS = 64;

    /** Steps for one segment that goes, of some blocks each: they take a part of a second at most. */
    private static final int MOST_STEPS = 256;

    private final SharedStoreState parts;

    /** What was seen since {@link #flushes}: those that are worth least are asked for again and again. */
    private final Map<Fingerprint, QuotaController.Retention> seen = new HashMap<>();

    public QuotaEnforcer(SharedStoreState parts) {
        this.parts = parts;
    }

    /** Bytes of a segment that are copied when it goes for a record: then that has room behind them. */
    public static long spared(long segmentBytes, BlockDraft draft) {
        long left = segmentBytes - RecordHeader.recordBytes(draft) - SPARE;
        return Math.max(0, Math.min((long) (segmentBytes * QuotaController.SPARED), left));
    }

    /** Records that were written are going to be {@link #stored}. */
    public void flushes() {
        seen.clear();
    }

    /** A record is found from now on, on a disk of which the caller is the writer. */
    public void stored(FooterEntry record, DiskReadThreads reads) {
        for (Limited limited : parts.groups().limited(parts.groups().group(record.label()))) {
            limited.share().stored(record.key(), parts.index(), own(limited.group(), reads));
        }
    }

    /** Whether a share is used up that a record counts for: what comes is in the place of its own. */
    public boolean areUsedUpFor(BlockDraft draft) {
        return parts.groups().isNearlyUsedUp(draft.identity());
    }

    /**
     * Before a segment goes, on a disk of which the caller is the writer: where there is far too much, as behind a start, which finds again
     * what had gone, the least of it goes, and not what happens to lie there.
     */
    void trim(DiskReadThreads reads) {
        seen.clear();
        for (Limited limited : parts.groups().limited()) {
            QuotaController share = limited.share();
            boolean goesOn = share.isFarOver();
            for (int step = 0; goesOn && step < MOST_STEPS; step++) {
                goesOn = share.trim(parts.index(), own(limited.group(), reads));
                reads.wrote();
            }
        }
    }

    /** Whether there is so much of a record's group that it is not to be copied: as when its share was made smaller. */
    boolean haveFarTooMuchOf(FooterEntry record) {
        return parts.groups().limited(parts.groups().group(record.label())).stream()
                .anyMatch(limited -> limited.share().isFarOver());
    }

    private QuotaController.Own own(int group, DiskReadThreads reads) {
        return new QuotaController.Own() {
            @Override
            public boolean has(Resident resident) {
                return parts.groups().isWithin(resident.group(), group);
            }

            @Override
            public QuotaController.Retention kept(Fingerprint key) {
                return parts.kept().areNone() ? QuotaController.Retention.NO : look(key, reads);
            }

            @Override
            public boolean takeOut(Fingerprint key) {
                IndexEntry entry = parts.index().find(key);
                return entry != null
                        && parts.groups().isWithin(entry.group(), group)
                        && parts.index().remove(key, entry.place());
            }
        };
    }

    private QuotaController.Retention look(Fingerprint key, DiskReadThreads reads) {
        QuotaController.@Nullable Retention known = seen.get(key);
        if (known != null) {
            return known;
        }
        IndexEntry entry = parts.index().find(key);
        @Nullable Segment segment = entry == null ? null : parts.segments().get(entry.segment());
        if (entry == null || segment == null) {
            return QuotaController.Retention.NO;
        }
        boolean isOwn = segment.reads().equals(reads) && !reads.areBypassed();
        if (!isOwn || seen.size() == MOST_LOOKS) {
            // One disk's writer must not wait for another disk, nor long for its own.
            return QuotaController.Retention.UNKNOWN;
        }
        QuotaController.Retention kept = segment.acquire() && isWanted(entry, segment)
                ? QuotaController.Retention.YES
                : QuotaController.Retention.NO;
        seen.put(key, kept);
        reads.wrote();
        return kept;
    }

    /** Reads, and releases the segment. */
    private boolean isWanted(IndexEntry entry, Segment segment) {
        try {
            int beforeBody = (int) (entry.bodyPosition() - entry.start());
            return RecordHeader.identity(segment.file(), entry.start(), beforeBody, header -> true)
                    .filter(parts.kept()::have)
                    .isPresent();
        } catch (IOException e) {
            // Whoever reads it meets it again.
            return false;
        } finally {
            segment.release();
        }
    }
}
