package io.millrace.cache.disk;

import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.eviction.Selection;
import io.millrace.cache.group.Groups;
import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
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
final class Survivors {
    private static final Logger log = LoggerFactory.getLogger(Survivors.class);

    /** The worth of a record that cannot be found. */
    private static final byte GONE = -1;

    private final StoreParts parts;
    private final LongSupplier mostKept;
    private final Shares shares;

    /** Bytes of what is kept that was moved, and is still where it was moved to. */
    private final AtomicLong kept = new AtomicLong();

    private boolean toldOfTooMuch;

    private record Live(Fingerprint key, Entry entry) {}

    /** @param mostKept bytes that may be kept of what is not used */
    Survivors(StoreParts parts, LongSupplier mostKept) {
        this.parts = parts;
        this.mostKept = mostKept;
        this.shares = new Shares(parts);
    }

    /** Where survivors go. */
    interface Room {
        /**
         * What a record is written with; null if there is no room for it, though it should stay.
         *
         * @param must whether it stays even if it takes a segment more
         */
        @Nullable SegmentWriter of(Footer.Line line, boolean must) throws IOException;
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
        shares.trim(victim.home());
        List<Footer.Line> lines = lines(victim);
        byte[] worths = worths(victim, lines);
        long[] byWorth = bytesByWorth(lines, worths);
        Selection worthIt =
                sparing ? Selection.best(byWorth, maxBytes) : parts.policy().select(byWorth, maxBytes, parts.index());
        long moved = 0;
        for (int i = 0; i < worths.length; i++) {
            if (worths[i] == GONE) {
                continue;
            }
            victim.home().reads().wrote();
            Footer.Line line = lines.get(i);
            boolean tooMuch = shares.haveFarTooMuchOf(line);
            boolean must =
                    line.kind() == Kind.TOMBSTONE ? mayHideSomething(victim, line) : !tooMuch && isKept(victim, line);
            boolean wanted =
                    must || (!tooMuch && moved + line.recordBytes() <= maxBytes && isWorthIt(worthIt, line, worths[i]));
            // Looked at again: much may have been taken out while others were moved.
            List<Live> live = live(victim, line);
            if (wanted && !live.isEmpty() && move(victim, line, live, room, must)) {
                moved += line.recordBytes();
            } else {
                takeOut(victim, line, live);
            }
        }
        return moved;
    }

    /** Of each line, 0 to {@link EvictionPolicy#MOST_WORTH}, or {@link #GONE}: a byte, since there may be half a million. */
    private byte[] worths(Segment victim, List<Footer.Line> lines) {
        byte[] worths = new byte[lines.size()];
        for (int i = 0; i < worths.length; i++) {
            victim.home().reads().wrote();
            Footer.Line line = lines.get(i);
            List<Live> live = live(victim, line);
            worths[i] = live.isEmpty() ? GONE : (byte) worth(line, live);
        }
        return worths;
    }

    private static long[] bytesByWorth(List<Footer.Line> lines, byte[] worths) {
        long[] bytes = new long[EvictionPolicy.MOST_WORTH + 1];
        for (int i = 0; i < worths.length; i++) {
            Footer.Line line = lines.get(i);
            if (worths[i] != GONE && line.kind() != Kind.TOMBSTONE) {
                bytes[worths[i]] += line.recordBytes();
            }
        }
        return bytes;
    }

    /** Reads count for blocks; the head of an object is worth what its first block is, if that is here. */
    private int worth(Footer.Line line, List<Live> live) {
        int worth = 0;
        for (Live one : live) {
            worth = Math.max(worth, parts.policy().worth(one.key()));
        }
        if (line.kind() == Kind.HEAD) {
            Fingerprint first = parts.hash().of(line.version(), 0);
            worth = parts.index().find(first) == null
                    ? worth
                    : Math.max(worth, parts.policy().worth(first));
        }
        return worth;
    }

    private static boolean isWorthIt(Selection worthIt, Footer.Line line, int worth) {
        return line.kind() != Kind.TOMBSTONE && worthIt.takes(worth, line.recordBytes());
    }

    /** Whether somebody wants it to stay, and there is not too much of that yet. */
    private boolean isKept(Segment victim, Footer.Line line) {
        if (parts.kept().areNone()) {
            return false;
        }
        try {
            boolean wanted =
                    line.headPart(victim.file()).filter(parts.kept()::have).isPresent();
            boolean fits = kept.get() - victim.kept() + line.recordBytes() <= mostKept.getAsLong();
            if (wanted && !fits && !toldOfTooMuch) {
                log.warn("More is to be kept than {} of a disk: the oldest of it goes", KeptRecords.SHARE);
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

    /** Takes out of the index what lies in a segment. */
    void drop(Segment victim) {
        for (Footer.Line line : lines(victim)) {
            takeOut(victim, line, live(victim, line));
        }
    }

    private void takeOut(Segment victim, Footer.Line line, List<Live> live) {
        live.forEach(entry -> parts.index().remove(entry.key(), entry.entry().place()));
        if (line.kind() == Kind.TOMBSTONE && !live.isEmpty()) {
            doubtBelow(victim, line.sequence());
        }
    }

    /** What of the index leads to a record: an object record is found as a head and as a block. */
    private List<Live> live(Segment victim, Footer.Line line) {
        List<Live> live = new ArrayList<>();
        addIfLive(live, line.key(), victim, line);
        if (line.kind() == Kind.OBJECT) {
            addIfLive(live, parts.hash().of(line.version(), 0), victim, line);
        }
        return live;
    }

    private void addIfLive(List<Live> live, Fingerprint key, Segment victim, Footer.Line line) {
        @Nullable Entry entry = parts.index().find(key);
        if (entry != null && entry.leadsTo(victim.number(), line.start())) {
            live.add(new Live(key, entry));
        }
    }

    private List<Footer.Line> lines(Segment victim) {
        try {
            return Footer.of(victim.file(), victim.home().reads()::wrote).lines();
        } catch (IOException e) {
            log.warn("Segment {} cannot be read before it is removed: {}", victim.number(), e.toString());
            parts.recorder().diskError();
            // There may have been tombstones.
            doubtBelow(victim, Long.MAX_VALUE);
            return List.of();
        }
    }

    /** Segments are removed oldest first, so a tombstone of the oldest hides only what lies on other disks. */
    private boolean mayHideSomething(Segment victim, Footer.Line tombstone) {
        return parts.segments().all().stream().anyMatch(segment -> isHidden(segment, victim, tombstone.sequence()));
    }

    /** What is hidden by something with this number, which goes, would count again after a start. */
    private void doubtBelow(Segment victim, long sequence) {
        parts.segments().all().stream()
                .filter(segment -> isHidden(segment, victim, sequence))
                .map(Segment::home)
                .distinct()
                .forEach(home -> home.doubt().run());
    }

    private static boolean isHidden(Segment segment, Segment victim, long sequence) {
        return segment != victim && segment.lowestSequence() < sequence;
    }

    private boolean move(Segment from, Footer.Line line, List<Live> live, Room room, boolean must) throws IOException {
        RecordDraft draft = line.kind() == Kind.TOMBSTONE ? tombstone(line) : readSafely(from, line);
        if (draft != null && line.isHead() && !live.get(0).key().equals(line.key())) {
            draft = blockOf(draft);
        }
        SegmentWriter into = draft == null ? null : room.of(line, must);
        if (draft == null || into == null) {
            return false;
        }
        Footer.Line moved = into.copy(draft);
        into.flush();
        if (must && line.kind() != Kind.TOMBSTONE) {
            into.segment().keeps(line.recordBytes());
            kept.addAndGet(line.recordBytes());
        }
        int group = line.kind() == Kind.TOMBSTONE ? Groups.NONE : parts.groups().group(moved.label());
        for (Live old : live) {
            Entry kept = old.entry().kind() == Kind.BLOCK
                    ? moved.blockEntry(into.segment().number())
                    : moved.entry(into.segment().number());
            parts.index().replace(old.key(), old.entry().place(), kept.in(group));
        }
        return true;
    }

    /** The list of the segment tells all that a tombstone does. */
    private static RecordDraft tombstone(Footer.Line line) {
        return new RecordDraft(
                line.kind(), line.sequence(), line.key(), line.version(), 0, ByteBuffer.allocate(0), List.of());
    }

    /** The block of an object record without its head, which is old: it must not come to lie behind what has made it so. */
    private RecordDraft blockOf(RecordDraft object) {
        return new RecordDraft(
                Kind.BLOCK,
                object.sequence(),
                parts.hash().of(object.version(), 0),
                object.version(),
                0,
                object.headPart(),
                object.body());
    }

    /** The record, or null if it cannot be read or does not check. */
    private @Nullable RecordDraft readSafely(Segment from, Footer.Line line) {
        try {
            RecordDraft draft = read(from, line);
            if (draft == null) {
                log.warn("A record of {} at {} is not what was written: taken out", from.path(), line.start());
                parts.recorder().corrupt();
            }
            return draft;
        } catch (IOException e) {
            parts.recorder().diskError();
            log.warn("A record of segment {} cannot be read: {}", from.number(), e.toString());
            return null;
        }
    }

    /** The record as a draft with its old sequence number; null if it does not check. */
    private static @Nullable RecordDraft read(Segment from, Footer.Line line) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(line.recordBytes());
        if (!Segment.readFully(from.file(), all, line.start())) {
            return null;
        }
        RecordHeader header = RecordHeader.decodeFixed(all).orElse(null);
        if (header == null
                || header.recordBytes() != line.recordBytes()
                || !header.checks(all)
                || header.sequence() != line.sequence()
                || !header.key().equals(line.key())) {
            return null;
        }
        List<ByteBuf> body = new ArrayList<>();
        for (int page = 0; page < header.pages(); page++) {
            ByteBuffer bytes = all.duplicate()
                    .position(header.bodyStart() + page * Pages.SIZE)
                    .limit(header.bodyStart() + page * Pages.SIZE + Pages.length(page, header.bodyBytes()))
                    .slice();
            if (Pages.checksum(bytes) != RecordHeader.checksum(all, page)) {
                return null;
            }
            body.add(Unpooled.wrappedBuffer(bytes));
        }
        ByteBuffer headPart = header.headPart(all);
        return new RecordDraft(
                header.kind(), header.sequence(), header.key(), header.version(), header.block(), headPart, body);
    }
}
