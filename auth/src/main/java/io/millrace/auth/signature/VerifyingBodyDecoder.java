package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Decodes and verifies one request body, which arrives in pieces. Call {@link #read} for each, then {@link #end}, and
 * {@link #poll} in between or after. Call {@link #release} after an exception and after a cancellation. For one thread
 * at a time.
 */
record VerifyingBodyDecoder(BodyDecoder format, WithholdingBodyQueue decoded) {
    /** Reads the next piece of the body as sent, and releases it in any case. */
    void read(ByteBuf in) throws RequestVerificationException {
        try {
            format.read(in);
        } finally {
            in.release();
        }
    }

    /** Ends the body. If it does not throw, the whole body is valid and its last piece can be polled. */
    void end() throws RequestVerificationException {
        format.end();
        decoded.end();
    }

    /** Returns the next decoded piece, never empty, which the caller owns; null if none is ready. */
    @Nullable ByteBuf poll() {
        return decoded.poll();
    }

    /** Returns whether no piece is ready. */
    boolean isEmpty() {
        return decoded.isEmpty();
    }

    /** Releases all buffers held. */
    void release() {
        format.release();
        decoded.release();
    }
}
