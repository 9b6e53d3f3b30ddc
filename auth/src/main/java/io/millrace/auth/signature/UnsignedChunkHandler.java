package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.netty.buffer.ByteBuf;

/** Passes on the bytes of an aws-chunked body whose chunks are unsigned, as they arrive. */
record UnsignedChunkHandler(WithholdingBodyQueue decoded) implements ChunkContentHandler {
    @Override
    public void begin(ChunkHeader header) {}

    @Override
    public void read(ByteBuf in, int length) throws RequestVerificationException {
        ByteBuf piece = in.readSlice(length);
        decoded.arrived(piece);
        decoded.add(piece.retain());
    }

    @Override
    public void end() {}

    @Override
    public void release() {}
}
