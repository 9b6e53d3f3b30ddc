package io.millrace.cache.disk.space;

import io.millrace.cache.disk.segment.BlockDraft;
import io.millrace.cache.disk.segment.ChecksumPages;
import io.millrace.cache.disk.segment.Footer;
import io.millrace.cache.disk.segment.FooterEntry;
import io.millrace.cache.disk.segment.RecordHeader;
import io.millrace.cache.disk.segment.Segment;
import io.millrace.cache.disk.segment.SegmentWriter;
import io.millrace.cache.eviction.CopyForwardSelection;
import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.index.IndexEntry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes out of the index what lies in a segment that goes, but for what is worth keeping: that moves, checked. */
final class CopyForward {
    private static final Logger log = LoggerFactory.getLogger(CopyForward.class);

    /** The worth of a record that cannot be found. */
    private static final byte GONE = -1;

    private final SharedStoreState parts;
    private final LongSupplier mostKept;
    private final QuotaEnforcer shares;

    /** Bytes of what is kept that was moved, and is still where it was moved to. */
    private final AtomicLong kept = new AtomicLong();

    private boolean toldOfTooMuch;

    /** @param mostKept bytes that may be kept of what is not used */
    CopyForward(SharedStoreState parts, LongSupplier mostKept) {
        this.parts = parts;
        this.mostKept = mostKept;
        this.shares = new QuotaEnforcer(parts);
    }

    /** Where survivors go. */
    public interface Room {
        /**
         * What a record is written with; null if there is no room for it, though it should stay.
         *
         * @param must whether it stays even if it takes a segment more
         */
        @Nullable SegmentWriter of(FooterEntry record, boolean must) throws IOException;
    }

    /**
     * Moves at most {@code maxBytes} of a segment, and what must stay besides.
     *
     * @return bytes that were moved
     * @throws IOException if writing failed: what was not moved yet is where it was
     */
    long move(Segment victim, Room room, long maxBytes) throws IOException {
        return move(victim, room, maxBytes, false);
    }

    /**
     * The same.
     *
     * @param sparing whether what is worth little is moved too, the best first
     */
    long move(Segment victim, Room room, long maxBytes, boolean sparing) throws IOException {
        shares.trim(victim.reads());
        List<FooterEntry> records = records(victim);
        byte[] worths = worths(victim, records);
        long[] byWorth = bytesByWorth(records, worths);
        CopyForwardSelection worthIt = sparing
                ? CopyForwardSelection.best(byWorth, maxBytes)
                : parts.policy().select(byWorth, maxBytes, parts.index());
        long moved = 0;
        for (int i = 0; i < worths.length; i++) {
            if (worths[i] == GONE) {
                continue;
            }
            victim.reads().wrote();
            FooterEntry record = records.get(i);
            boolean tooMuch = shares.haveFarTooMuchOf(record);
            boolean must = !tooMuch && isKept(victim, record);
            boolean wanted = must
                    || (!tooMuch
                            && moved + record.recordBytes() <= maxBytes
                            && worthIt.takes(worths[i], record.recordBytes()));
            // Looked at again: much may have been removed while others were moved.
            @Nullable IndexEntry live = live(victim, record);
            if (live != null && wanted && move(victim, record, live, room, must)) {
                moved += record.recordBytes();
            } else if (live != null) {
                boolean unused = parts.index().remove(record.key(), live.place());
            }
        }
        return moved;
    }

    /** Of each record, 0 to {@link EvictionPolicy#MOST_WORTH}, or {@link #GONE}: a byte, since there may be half a million. */
    private byte[] worths(Segment victim, List<FooterEntry> records) {
        byte[] worths = new byte[records.size()];
        for (int i = 0; i < worths.length; i++) {
            victim.reads().wrote();
            FooterEntry record = records.get(i);
            worths[i] =
                    live(victim, record) == null ? GONE : (byte) parts.policy().worth(record.key());
        }
        return worths;
    }

    private static long[] bytesByWorth(List<FooterEntry> records, byte[] worths) {
        long[] bytes = new long[EvictionPolicy.MOST_WORTH + 1];
        for (int i = 0; i < worths.length; i++) {
            if (worths[i] != GONE) {
                bytes[worths[i]] += records.get(i).recordBytes();
            }
        }
        return bytes;
    }

    /** Whether somebody wants it to stay, and there is not too much of that yet. */
    private boolean isKept(Segment victim, FooterEntry record) {
        if (parts.kept().areNone()) {
            return false;
        }
        try {
            boolean wanted =
                    record.identity(victim.file()).filter(parts.kept()::have).isPresent();
            boolean fits = kept.get() - victim.kept() + record.recordBytes() <= mostKept.getAsLong();
            if (wanted && !fits && !toldOfTooMuch) {
                log.warn("More is to be kept than {} of a disk: the oldest of it goes", PinnedRecords.SHARE);
            }
            toldOfTooMuch = wanted ? !fits : toldOfTooMuch;
            return wanted && fits;
        } catch (IOException e) {
            // Whoever moves it meets it again.
            return false;
        }
    }

    /** A segment is no more: nothing that was kept is in it. */
    void gone(Segment victim) {
        kept.addAndGet(-victim.kept());
    }

    /** Removes from the index what lies in a segment. */
    void drop(Segment victim) {
        for (FooterEntry record : records(victim)) {
            @Nullable IndexEntry live = live(victim, record);
            if (live != null) {
                boolean unused = parts.index().remove(record.key(), live.place());
            }
        }
    }

    /** The index entry that leads to a record; null if none does. */
    private @Nullable IndexEntry live(Segment victim, FooterEntry record) {
        @Nullable IndexEntry entry = parts.index().find(record.key());
        return entry != null && entry.leadsTo(victim.number(), record.start()) ? entry : null;
    }

    private List<FooterEntry> records(Segment victim) {
        try {
            return Footer.of(victim.file(), victim.reads()::wrote).entries();
        } catch (IOException e) {
            log.warn("Segment {} cannot be read before it is removed: {}", victim.number(), e.toString());
            parts.recorder().diskError();
            return List.of();
        }
    }

    private boolean move(Segment from, FooterEntry record, IndexEntry live, Room room, boolean must)
            throws IOException {
        BlockDraft draft = readSafely(from, record);
        SegmentWriter into = draft == null ? null : room.of(record, must);
        if (draft == null || into == null) {
            return false;
        }
        FooterEntry moved = into.add(draft);
        into.flush();
        if (must) {
            into.segment().keeps(record.recordBytes());
            kept.addAndGet(record.recordBytes());
        }
        IndexEntry entry =
                moved.entry(into.segment().number()).in(parts.groups().group(moved.label()));
        boolean unused = parts.index().replace(record.key(), live.place(), entry);
        return true;
    }

    /** The record, or null if it cannot be read or does not check. */
    private @Nullable BlockDraft readSafely(Segment from, FooterEntry record) {
        try {
            BlockDraft draft = read(from, record);
            if (draft == null) {
                log.warn("A record of {} at {} is not what was written: removed", from.path(), record.start());
                parts.recorder().corrupt();
            }
            return draft;
        } catch (IOException e) {
            parts.recorder().diskError();
            log.warn("A record of segment {} cannot be read: {}", from.number(), e.toString());
            return null;
        }
    }

    /** The record as a draft; null if it does not check. */
    private static @Nullable BlockDraft read(Segment from, FooterEntry record) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(record.recordBytes());
        if (!Segment.readFully(from.file(), all, record.start())) {
            return null;
        }
        RecordHeader header = RecordHeader.decodeFixed(all).orElse(null);
        if (header == null
                || header.recordBytes() != record.recordBytes()
                || !header.checks(all)
                || !header.key().equals(record.key())) {
            return null;
        }
        List<ByteBuf> body = new ArrayList<>();
        for (int page = 0; page < header.pages(); page++) {
            ByteBuffer bytes = all.duplicate()
                    .position(header.bodyStart() + page * ChecksumPages.SIZE)
                    .limit(header.bodyStart()
                            + page * ChecksumPages.SIZE
                            + ChecksumPages.length(page, header.bodyBytes()))
                    .slice();
            if (ChecksumPages.checksum(bytes) != RecordHeader.checksum(all, page)) {
                return null;
            }
            body.add(Unpooled.wrappedBuffer(bytes));
        }
        return new BlockDraft(header.key(), header.number(), header.identity(all), body);
    }
}
