package io.millrace.cache.disk;

import io.millrace.cache.eviction.Residents.Resident;
import io.millrace.cache.eviction.Share;
import io.millrace.cache.group.Groups.Limited;
import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps groups to their share of the cache: when a block of theirs is stored beyond it, another of theirs is not found any more, and
 * what it took goes with its segment. Used by the disks' writers.
 */
final class Shares {
    /**
     * So much of a segment is copied when one goes for what has used its share up: nearly all, for others shall not go for it, and not quite, so
     * that a byte of it costs ten at most.
     */
    private static final double SPARED = 0.9;

    /** For paddings, and a footer. */
    private static final int SPARE = 64 << 10;

    private final StoreParts parts;

    Shares(StoreParts parts) {
        this.parts = parts;
    }

    /** Bytes of a segment that are copied when it goes for a record: then that has room behind them. */
    static long spared(long segmentBytes, RecordDraft draft) {
        long left = segmentBytes - RecordHeader.of(draft, 0, 0, 0).recordBytes() - SPARE;
        return Math.max(0, Math.min((long) (segmentBytes * SPARED), left));
    }

    /** A record is found from now on. */
    void stored(Footer.Line line) {
        if (line.kind() != Kind.BLOCK && line.kind() != Kind.OBJECT) {
            return;
        }
        for (Limited limited : parts.groups().limited(parts.groups().group(line.label()))) {
            Fingerprint block =
                    line.kind() == Kind.BLOCK ? line.key() : parts.hash().of(line.version(), 0);
            limited.share().stored(block, parts.index(), own(limited.group()));
        }
    }

    /** Whether a share is used up that a record counts for: what comes is in the place of its own, as are the heads beside it. */
    boolean areUsedUpFor(RecordDraft draft) {
        return draft.kind() != Kind.TOMBSTONE && parts.groups().isNearlyUsedUp(draft.headPart());
    }

    /** Whether there is so much of a record's group that it is not to be copied: as when its share was made smaller. */
    boolean haveFarTooMuchOf(Footer.Line line) {
        return line.kind() != Kind.TOMBSTONE
                && parts.groups().limited(parts.groups().group(line.label())).stream()
                        .anyMatch(limited -> limited.share().isFarOver());
    }

    private Share.Own own(int group) {
        return new Share.Own() {
            @Override
            public boolean has(Resident resident) {
                return parts.groups().isWithin(resident.group(), group);
            }

            @Override
            public boolean isKept(Fingerprint key) {
                Entry entry = parts.kept().areNone() ? null : parts.index().find(key);
                return entry != null && isWanted(entry);
            }

            @Override
            public boolean takeOut(Fingerprint key) {
                Entry entry = parts.index().find(key);
                return entry != null
                        && entry.kind() == Kind.BLOCK
                        && parts.groups().isWithin(entry.group(), group)
                        && parts.index().remove(key, entry.place());
            }
        };
    }

    private boolean isWanted(Entry entry) {
        @Nullable Segment segment = parts.segments().get(entry.segment());
        if (segment == null) {
            return false;
        }
        if (segment.home().reads().mayHang()) {
            // Another disk's writer asks, and must not wait for this one.
            return true;
        }
        if (!segment.acquire()) {
            return false;
        }
        try {
            ByteBuffer before = ByteBuffer.allocate((int) (entry.bodyPosition() - entry.start()));
            return Segment.readFully(segment.file(), before, entry.start())
                    && RecordHeader.decodeFixed(before)
                            .filter(header -> header.beforeBody() <= before.capacity() && header.checks(before))
                            .map(header -> header.headPart(before))
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
