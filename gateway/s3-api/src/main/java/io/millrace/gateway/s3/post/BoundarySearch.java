package io.millrace.gateway.s3.post;

import io.netty.buffer.ByteBuf;
import io.netty.util.ByteProcessor;

/** Looks for the boundary of a form in bytes that come piece by piece. For one thread at a time. */
final class BoundarySearch implements ByteProcessor {
    private final byte[] delimiter;
    private int matched;

    /**
     * @param delimiter a line end and the boundary, which has none in it: so a match can begin anew only where one breaks off
     */
    BoundarySearch(byte[] delimiter) {
        this.delimiter = delimiter.clone();
    }

    /** Whether the boundary ends in this piece, whose indices stay. */
    boolean isFoundIn(ByteBuf piece) {
        return piece.forEachByte(this) >= 0;
    }

    /** Goes on until the boundary is there. */
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
