package io.millrace.gateway.s3.object;

import io.netty.buffer.ByteBuf;
import io.netty.util.ByteProcessor;

/** Finds the boundaries of a multipart/form-data body that is received in pieces. Not thread-safe. */
final class BoundaryFinder implements ByteProcessor {
    private final byte[] delimiter;
    private int matched;

    /**
     * @param delimiter a line end and the boundary, which contains none: a new match can only begin where another
     *     breaks off
     */
    BoundaryFinder(byte[] delimiter) {
        this.delimiter = delimiter.clone();
    }

    /** Returns whether the boundary ends in this piece; leaves its indices unchanged. */
    boolean isFoundIn(ByteBuf piece) {
        return piece.forEachByte(this) >= 0;
    }

    /** Returns false at the end of the boundary, which stops the iteration. */
    @Override
    public boolean process(byte next) {
        if (next == delimiter[matched]) {
            matched++;
        } else {
            matched = next == delimiter[0] ? 1 : 0;
        }
        return matched < delimiter.length;
    }
}
