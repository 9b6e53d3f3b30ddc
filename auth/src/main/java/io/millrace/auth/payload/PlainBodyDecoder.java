package io.millrace.auth.payload;

import io.millrace.auth.AuthException;
import io.netty.buffer.ByteBuf;

/** Decoder of a request body without chunk framing: passes its bytes on unchanged. */
final class PlainBodyDecoder implements BodyDecoder {
    private final VerifiedBodyQueue decoded;

    PlainBodyDecoder(VerifiedBodyQueue decoded) {
        this.decoded = decoded;
    }

    @Override
    public void read(ByteBuf in) throws AuthException {
        decoded.arrived(in);
        decoded.add(in.readRetainedSlice(in.readableBytes()));
    }

    @Override
    public void end() {}

    @Override
    public void release() {}
}
