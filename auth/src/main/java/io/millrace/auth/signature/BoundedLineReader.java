package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads lines that may be split over several buffers, and refuses lines above a length limit. */
final class BoundedLineReader {
    private final byte[] line;
    private final boolean lineFeedIsEnough;
    private int length;
    private boolean carriageReturn;

    /**
     * @param longest length limit in bytes, without the line's end
     * @param lineFeedIsEnough whether a line may end without carriage return
     */
    BoundedLineReader(int longest, boolean lineFeedIsEnough) {
        this.line = new byte[longest];
        this.lineFeedIsEnough = lineFeedIsEnough;
    }

    /**
     * Returns the next line without its end, one char a byte; null if {@code in} has been read and no line has ended.
     */
    @Nullable String read(ByteBuf in) throws RequestVerificationException {
        while (in.isReadable()) {
            byte octet = in.readByte();
            if (octet == '\n') {
                return finished();
            }
            if (carriageReturn || (octet != '\r' && length == line.length)) {
                throw PayloadErrors.badFraming();
            }
            if (octet == '\r') {
                carriageReturn = true;
            } else {
                line[length++] = octet;
            }
        }
        return null;
    }

    /** Returns whether a line has begun and not ended. */
    boolean isInLine() {
        return length > 0 || carriageReturn;
    }

    private String finished() throws RequestVerificationException {
        if (!carriageReturn && !lineFeedIsEnough) {
            throw PayloadErrors.badFraming();
        }
        String text = new String(line, 0, length, StandardCharsets.ISO_8859_1);
        length = 0;
        carriageReturn = false;
        return text;
    }
}
