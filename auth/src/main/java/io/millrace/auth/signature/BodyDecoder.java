package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.netty.buffer.ByteBuf;

/**
 * Decoder of a request body in one wire format: plain or aws-chunked. For one thread at a time; after an error only
 * {@link #release} may follow.
 */
interface BodyDecoder {
    /** Reads all of {@code in}; the caller keeps ownership. */
    void read(ByteBuf in) throws RequestVerificationException;

    /** Ends the body; fails if it is incomplete by its format. */
    void end() throws RequestVerificationException;

    /** Releases all buffers held. */
    void release();
}
