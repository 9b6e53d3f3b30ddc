package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.netty.buffer.ByteBuf;

/** Decoder of a request body without chunk framing: passes its bytes on unchanged. */
record PlainBodyDecoder(WithholdingBodyQueue decoded) implements BodyDecoder {
    @Override
    public void read(ByteBuf in) throws RequestVerificationException {
        decoded.arrived(in);
        decoded.add(in.readRetainedSlice(in.readableBytes()));
    }

    @Override
    public void end() {}

    @Override
    public void release() {}
}
