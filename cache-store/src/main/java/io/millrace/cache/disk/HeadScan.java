package io.millrace.cache.disk;

import io.millrace.cache.index.Entry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes over the heads on all disks, a piece at a time, so that nothing is held and it can be taken up again. What is written
 * meanwhile may be told, or not; what is not the newest of its key is not.
 */
final class HeadScan {
    private static final Logger log = LoggerFactory.getLogger(HeadScan.class);

    /** So long a piece takes about, on a slow disk: a tenth of what is taken for one that hangs. */
    private static final long MOST_NANOS = DiskHealth.WORK_DEADLINE / 10;

    private final StoreParts parts;
    private final RecentLines recent = new RecentLines();

    HeadScan(StoreParts parts) {
        this.parts = parts;
    }

    /**
     * Reads from a position on, in one segment; fails where its list cannot be read.
     *
     * @return whoever cancels it ends it at once
     */
    CompletableFuture<ScanPiece> piece(ScanPosition from, int most) {
        @Nullable Segment segment = segment(from);
        if (segment == null) {
            return CompletableFuture.completedFuture(ScanPiece.NONE);
        }
        Piece piece = new Piece(segment, from, most);
        segment.home().reads().work(piece);
        return piece.told;
    }

    /** How much lies before a position, 0 to 1: by segments. */
    double before(ScanPosition position) {
        List<Segment> all = parts.segments().all();
        long before = all.stream()
                .filter(segment -> segment.number() < position.segment())
                .count();
        return all.isEmpty() ? 1 : (double) before / all.size();
    }

    /** The segment at which a position is, or the next there is; null behind the last. */
    private @Nullable Segment segment(ScanPosition position) {
        for (Segment segment : parts.segments().all()) {
            if (segment.number() >= position.segment()) {
                return segment;
            }
        }
        return null;
    }

    /** Holds its segment only while it reads: as long as it waits, that may go. */
    private final class Piece implements DiskTask {
        private final Segment segment;
        private final ScanPosition from;
        private final int most;
        private final CompletableFuture<ScanPiece> told = new CompletableFuture<>();
        private ScanPiece piece;
        private @Nullable RuntimeException failure;

        Piece(Segment segment, ScanPosition from, int most) {
            this.segment = segment;
            this.from = from;
            this.most = most;
            this.piece = ScanPiece.behind(segment);
        }

        @Override
        public void run() {
            // Who asked may have left while it waited.
            if (!told.isDone() && segment.acquire()) {
                try {
                    piece = read();
                } catch (IOException e) {
                    parts.recorder().diskError();
                    failure = new DiskUnavailableException(segment.path(), e);
                } catch (RuntimeException e) {
                    log.error("The heads of {} cannot be told", segment.path(), e);
                    failure = e;
                } finally {
                    segment.release();
                }
            }
        }

        @Override
        public void tell() {
            // Whoever waits for this piece is waited for himself, and must not take what it holds for nothing.
            if (failure == null) {
                told.complete(piece);
            } else {
                told.completeExceptionally(failure);
            }
        }

        @Override
        public void giveUp(boolean begun) {
            told.completeExceptionally(
                    new DiskUnavailableException(segment.path().resolveSibling("")));
        }

        private ScanPiece read() throws IOException {
            long began = System.nanoTime();
            SegmentLines lines = recent.of(segment);
            // Who goes over the same segment at the same time waits, about as long as a piece takes.
            synchronized (lines) {
                return read(lines, began);
            }
        }

        /** One at least, however long its list took: so it comes to an end. */
        private ScanPiece read(SegmentLines lines, long began) throws IOException {
            int at = segment.number() == from.segment() ? from.line() : 0;
            List<ScanPiece.Head> heads = new ArrayList<>();
            Footer.Line line = lines.line(at);
            while (line != null) {
                ScanPosition next = new ScanPosition(segment.number(), ++at);
                if (line.isHead() && isNewest(segment, line)) {
                    HeadScan.this.read(segment, line, next).ifPresent(heads::add);
                }
                if (isEnough(heads, began)) {
                    return new ScanPiece(heads, Optional.of(next));
                }
                line = lines.line(at);
            }
            return ScanPiece.last(heads, segment);
        }

        private boolean isEnough(List<ScanPiece.Head> heads, long began) {
            return heads.size() == most || told.isDone() || System.nanoTime() - began >= MOST_NANOS;
        }
    }

    private boolean isNewest(Segment segment, Footer.Line line) {
        Entry entry = parts.index().find(line.key());
        return entry != null && entry.leadsTo(segment.number(), line.start());
    }

    /** What tells the object; empty if it cannot be read or does not check, which whoever reads it next finds too. */
    private Optional<ScanPiece.Head> read(Segment segment, Footer.Line line, ScanPosition next) {
        boolean doubtful = line.sequence() < segment.home().doubtBelow().getAsLong();
        try {
            return line.headPart(segment.file()).map(headPart -> new ScanPiece.Head(headPart, doubtful, next));
        } catch (IOException e) {
            log.warn("The head at {} of {} is not told: {}", line.start(), segment.path(), e.toString());
            parts.recorder().diskError();
            return Optional.empty();
        }
    }
}
