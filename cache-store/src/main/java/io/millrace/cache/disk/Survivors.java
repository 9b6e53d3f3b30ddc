package io.millrace.cache.disk;

import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes out of the index what lies in a segment that goes, but for what is worth keeping: that moves, checked. */
final class Survivors {
    private static final Logger log = LoggerFactory.getLogger(Survivors.class);

    private final StoreParts parts;

    private record Live(Fingerprint key, Entry entry) {}

    Survivors(StoreParts parts) {
        this.parts = parts;
    }

    /**
     * Moves at most {@code maxBytes} of a segment.
     *
     * @return bytes that were moved
     */
    long move(Segment victim, SegmentWriter into, long maxBytes) {
        long moved = 0;
        for (Footer.Line line : lines(victim)) {
            List<Live> live = live(victim, line);
            if (live.isEmpty()) {
                continue;
            }
            boolean wanted = line.kind() == Kind.TOMBSTONE
                    ? mayHideSomething(victim, line)
                    : moved + line.recordBytes() <= maxBytes
                            && live.stream().anyMatch(entry -> parts.policy().keeps(entry.key(), entry.entry()));
            if (wanted && into.fits(line.recordBytes()) && move(victim, line, live, into)) {
                moved += line.recordBytes();
            } else {
                live.forEach(
                        entry -> parts.index().remove(entry.key(), entry.entry().place()));
            }
        }
        return moved;
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
        if (entry != null && entry.segment() == victim.number() && entry.start() == line.start()) {
            live.add(new Live(key, entry));
        }
    }

    private static List<Footer.Line> lines(Segment victim) {
        try {
            Optional<Footer> footer = Footer.read(victim.file());
            return (footer.isPresent()
                            ? footer.get()
                            : SegmentScan.of(victim.file()).found())
                    .lines();
        } catch (IOException e) {
            log.warn("Segment {} cannot be read before it is removed: {}", victim.number(), e.toString());
            return List.of();
        }
    }

    /** Segments are removed oldest first, so a tombstone of the oldest hides nothing but what was copied forward. */
    private boolean mayHideSomething(Segment victim, Footer.Line tombstone) {
        return parts.segments().all().stream()
                .anyMatch(segment -> segment != victim && segment.lowestSequence() < tombstone.sequence());
    }

    private boolean move(Segment from, Footer.Line line, List<Live> live, SegmentWriter into) {
        try {
            RecordDraft draft = read(from, line);
            if (draft == null) {
                parts.recorder().corrupt();
                return false;
            }
            Footer.Line moved = into.add(draft);
            into.flush();
            for (Live old : live) {
                Entry kept = old.entry().kind() == Kind.BLOCK
                        ? moved.blockEntry(into.segment().number())
                        : moved.entry(into.segment().number());
                int uses = parts.policy().usesOfKept(old.entry());
                parts.index().replace(old.key(), old.entry().place(), kept.withUses(uses));
            }
            return true;
        } catch (IOException e) {
            parts.recorder().diskError();
            return false;
        }
    }

    /** The record as a draft with its old sequence number; null if it does not check. */
    private static @Nullable RecordDraft read(Segment from, Footer.Line line) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(line.recordBytes());
        if (!Segment.readFully(from.file(), all, line.start())) {
            return null;
        }
        RecordHeader header = RecordHeader.decodeFixed(all).orElse(null);
        if (header == null || header.recordBytes() != line.recordBytes() || !header.checks(all)) {
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
