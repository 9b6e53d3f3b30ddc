package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.netty.buffer.ByteBuf;

/** Callback that receives the bytes of each chunk of an aws-chunked body. For one thread at a time. */
interface ChunkContentHandler {
    /** Begins a chunk. The chunk of no bytes ends the body and is verified here. */
    void begin(ChunkHeader header) throws RequestVerificationException;

    /** Reads the next {@code length} bytes of the chunk from {@code in}; the caller keeps ownership. */
    void read(ByteBuf in, int length) throws RequestVerificationException;

    /** Ends the chunk, after its last byte. */
    void end() throws RequestVerificationException;

    /** Releases all buffers held. */
    void release();
}
