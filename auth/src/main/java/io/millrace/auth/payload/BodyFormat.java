package io.millrace.auth.payload;

import io.millrace.auth.AuthException;
import io.netty.buffer.ByteBuf;

/** How a body is written on the wire. For one thread at a time; after an error only {@link #release} may follow. */
interface BodyFormat {
    /** Reads all of {@code in}, which stays the caller's. */
    void read(ByteBuf in) throws AuthException;

    /** The body is over: refuses it if its format says that it is not. */
    void end() throws AuthException;

    /** Releases what it holds. */
    void release();
}
