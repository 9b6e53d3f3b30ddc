package io.millrace.auth.payload;

import io.millrace.auth.AuthException;
import io.netty.buffer.ByteBuf;

/** What becomes of the bytes in chunks. For one thread at a time. */
interface ChunkContentHandler {
    /** A chunk begins; the one of no bytes ends the body and is verified here. */
    void begin(ChunkHeader header) throws AuthException;

    /** Takes the next {@code length} bytes of the chunk out of {@code in}, which stays the caller's. */
    void read(ByteBuf in, int length) throws AuthException;

    /** The chunk has all its bytes. */
    void end() throws AuthException;

    /** Releases what it holds. */
    void release();
}
