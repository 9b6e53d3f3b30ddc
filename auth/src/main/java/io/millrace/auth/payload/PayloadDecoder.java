package io.millrace.auth.payload;

import io.millrace.auth.AuthException;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one body, which may come in any pieces: {@link #read} each, then {@link #end}, and {@link #poll} in between or after.
 * When anything has thrown, and when nobody wants the rest, {@link #release} is due. For one thread at a time.
 */
final class PayloadDecoder {
    private final BodyFormat format;
    private final DecodedBuffer decoded;

    PayloadDecoder(BodyFormat format, DecodedBuffer decoded) {
        this.format = format;
        this.decoded = decoded;
    }

    /** Takes the next piece of the body as it is on the wire, and owns it, whatever happens. */
    void read(ByteBuf in) throws AuthException {
        try {
            format.read(in);
        } finally {
            in.release();
        }
    }

    /** The body is over. If nothing is thrown all of it is right, and its last piece can be polled. */
    void end() throws AuthException {
        format.end();
        decoded.end();
    }

    /** The next decoded piece, never empty, which the caller owns; null if there is none yet. */
    @Nullable ByteBuf poll() {
        return decoded.poll();
    }

    /** Whether nothing can be polled now. */
    boolean isEmpty() {
        return decoded.isEmpty();
    }

    /** Releases all it still holds. */
    void release() {
        format.release();
        decoded.release();
    }
}
