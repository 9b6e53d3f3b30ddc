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

    public ScanPiece {
        heads = List.copyOf(heads);
    }

    /**
     * A head.
     *
     * @param doubtful whether it must be asked for before it is used
     */
    public record Head(ByteBuffer headPart, boolean doubtful) {}
}
