package io.millrace.loadgen;

import io.millrace.loadgen.client.SyntheticObject;
import io.netty.buffer.ByteBuf;

/** Compares each byte of a body with the synthetic object that was read. */
final class SyntheticContentCheck implements BodyVerifier {
    private final SyntheticObject object;
    private long offset;
    private boolean isRight = true;

    /**
     * @param offset of the first byte of the body in the object
     */
    SyntheticContentCheck(SyntheticObject object, long offset) {
        this.object = object;
        this.offset = offset;
    }

    @Override
    public void update(ByteBuf bytes) {
        isRight &= object.matches(offset, bytes);
        offset += bytes.readableBytes();
    }

    @Override
    public boolean isRight() {
        return isRight;
    }
}
