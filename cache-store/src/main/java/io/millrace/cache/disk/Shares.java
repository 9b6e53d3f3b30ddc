package io.millrace.cache.disk;

import io.millrace.cache.eviction.Share;
import io.millrace.cache.group.Groups.Limited;
import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Residents.Resident;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps groups to their share of the cache: when a block of theirs is stored beyond it, another of theirs is not found any more, and
 * what it took goes with its segment. Used by the disks' writers.
 */
final class Shares {
    /** For paddings, and a footer. */
    private static final int SPARE = 64 << 10;

    /**
     * So many are looked at for one flush, whether they should stay: each is a read of the disk, which waits for it. The rest goes
     * before what is known to stay, and behind what is not to.
     */
    private static final int MOST_LOOKS = 64;

    /** Steps for one segment that goes, of some blocks each: they take a part of a second at most. */
    private static final int MOST_STEPS = 256;

    private final StoreParts parts;

    /** What was seen since {@link #flushes}: those that are worth least are asked for again and again. */
    private final Map<Fingerprint, Share.Kept> seen = new HashMap<>();

    Shares(StoreParts parts) {
        this.parts = parts;
    }

    /** Bytes of a segment that are copied when it goes for a record: then that has room behind them. */
    static long spared(long segmentBytes, BlockDraft draft) {
        long left = segmentBytes - RecordHeader.recordBytes(draft) - SPARE;
        return Math.max(0, Math.min((long) (segmentBytes * Share.SPARED), left));
    }

    /** Records that were written are going to be {@link #stored}. */
    void flushes() {
        seen.clear();
    }

    /** A record is found from now on, on a disk of which the caller is the writer. */
    void stored(FooterEntry record, DiskReads reads) {
        for (Limited limited : parts.groups().limited(parts.groups().group(record.label()))) {
            limited.share().stored(record.key(), parts.index(), own(limited.group(), reads));
        }
    }

    /** Whether a share is used up that a record counts for: what comes is in the place of its own. */
    boolean areUsedUpFor(BlockDraft draft) {
        return parts.groups().isNearlyUsedUp(draft.identity());
    }

    /**
     * Before a segment goes, on a disk of which the caller is the writer: where there is far too much, as behind a start, which finds again
     * what had gone, the least of it goes, and not what happens to lie there.
     */
    void trim(DiskReads reads) {
        seen.clear();
        for (Limited limited : parts.groups().limited()) {
            Share share = limited.share();
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

    private Share.Own own(int group, DiskReads reads) {
        return new Share.Own() {
            @Override
            public boolean has(Resident resident) {
                return parts.groups().isWithin(resident.group(), group);
            }

            @Override
            public Share.Kept kept(Fingerprint key) {
                return parts.kept().areNone() ? Share.Kept.NO : look(key, reads);
            }

            @Override
            public boolean takeOut(Fingerprint key) {
                Entry entry = parts.index().find(key);
                return entry != null
                        && parts.groups().isWithin(entry.group(), group)
                        && parts.index().remove(key, entry.place());
            }
        };
    }

    private Share.Kept look(Fingerprint key, DiskReads reads) {
        Share.@Nullable Kept known = seen.get(key);
        if (known != null) {
            return known;
        }
        Entry entry = parts.index().find(key);
        @Nullable Segment segment = entry == null ? null : parts.segments().get(entry.segment());
        if (entry == null || segment == null) {
            return Share.Kept.NO;
        }
        boolean isOwn = segment.reads().equals(reads) && !reads.areBypassed();
        if (!isOwn || seen.size() == MOST_LOOKS) {
            // One disk's writer must not wait for another disk, nor long for its own.
            return Share.Kept.UNKNOWN;
        }
        Share.Kept kept = segment.acquire() && isWanted(entry, segment) ? Share.Kept.YES : Share.Kept.NO;
        seen.put(key, kept);
        reads.wrote();
        return kept;
    }

    /** Reads, and releases the segment. */
    private boolean isWanted(Entry entry, Segment segment) {
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
