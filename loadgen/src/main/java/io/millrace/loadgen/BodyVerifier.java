package io.millrace.loadgen;

import io.netty.buffer.ByteBuf;

/** Verifies the bytes of one response body against what the object should hold, as they arrive. */
interface BodyVerifier {
    /** Accepts any bytes. */
    BodyVerifier NONE = new BodyVerifier() {
        @Override
        public void update(ByteBuf bytes) {}

        @Override
        public boolean isRight() {
            return true;
        }
    };

    /** Adds the next bytes, without reading or releasing them. */
    void update(ByteBuf bytes);

    /** Returns whether all bytes so far are right; for a digest, after the last. */
    boolean isRight();
}
