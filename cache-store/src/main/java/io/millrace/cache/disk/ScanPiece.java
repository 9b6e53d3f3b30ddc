package io.millrace.cache.disk;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Some of the heads on the disks.
 *
 * @param next where the scan goes on; empty at its end
 */
public record ScanPiece(List<Head> heads, Optional<ScanPosition> next) {
    /** The end of a scan. */
    static final ScanPiece NONE = new ScanPiece(List.of(), Optional.empty());

    /** Nothing of a segment, and what comes behind it. */
    static ScanPiece behind(Segment segment) {
        return last(List.of(), segment);
    }

    /** The last of a segment, and what comes behind it. */
    static ScanPiece last(List<Head> heads, Segment segment) {
        return new ScanPiece(heads, Optional.of(new ScanPosition(segment.number() + 1, 0)));
    }

    public ScanPiece {
        heads = List.copyOf(heads);
    }

    /**
     * A head.
     *
     * @param doubtful whether it must be asked for before it is used
     * @param next where the scan goes on behind it
     */
    public record Head(ByteBuffer headPart, boolean doubtful, ScanPosition next) {}
}
