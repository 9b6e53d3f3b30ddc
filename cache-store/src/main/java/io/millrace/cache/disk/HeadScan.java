package io.millrace.cache.disk;

import io.millrace.cache.index.Entry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes over the heads on all disks, a piece at a time, so that nothing is held and it can be taken up again. What is written
 * meanwhile may be told, or not; what is not the newest of its key is not.
 */
final class HeadScan {
    private static final Logger log = LoggerFactory.getLogger(HeadScan.class);

    private final StoreParts parts;

    HeadScan(StoreParts parts) {
        this.parts = parts;
    }

    /** The segment at which a position is, or the next there is; null behind the last. The caller releases it. */
    @Nullable Segment segment(ScanPosition position) {
        for (Segment segment : parts.segments().all()) {
            if (segment.number() >= position.segment() && segment.acquire()) {
                return segment;
            }
        }
        return null;
    }

    /** Reads from a position on, in one segment, which is released; may wait for the disk. Nothing of one that cannot be read. */
    ScanPiece piece(Segment segment, ScanPosition position, int most) {
        try {
            return read(segment, position, most);
        } catch (IOException e) {
            parts.recorder().diskError();
        } catch (RuntimeException e) {
            // Whoever waits for this piece is waited for himself.
            log.error("The heads of a segment cannot be told", e);
        } finally {
            segment.release();
        }
        return ScanPiece.behind(segment);
    }

    private ScanPiece read(Segment segment, ScanPosition position, int most) throws IOException {
        List<Footer.Line> lines = Footer.of(segment.file()).lines();
        int at = segment.number() == position.segment() ? position.line() : 0;
        List<ScanPiece.Head> heads = new ArrayList<>();
        for (; at < lines.size() && heads.size() < most; at++) {
            Footer.Line line = lines.get(at);
            if (line.isHead() && isNewest(segment, line)) {
                read(segment, line, new ScanPosition(segment.number(), at + 1)).ifPresent(heads::add);
            }
        }
        ScanPosition next =
                at < lines.size() ? new ScanPosition(segment.number(), at) : new ScanPosition(segment.number() + 1, 0);
        return new ScanPiece(heads, Optional.of(next));
    }

    private boolean isNewest(Segment segment, Footer.Line line) {
        Entry entry = parts.index().find(line.key());
        return entry != null && entry.leadsTo(segment.number(), line.start());
    }

    /** What tells the object; empty if it does not check, which whoever reads it next finds too. */
    private static Optional<ScanPiece.Head> read(Segment segment, Footer.Line line, ScanPosition next)
            throws IOException {
        boolean doubtful = line.sequence() < segment.home().doubtBelow().getAsLong();
        return line.headPart(segment.file()).map(headPart -> new ScanPiece.Head(headPart, doubtful, next));
    }
}
