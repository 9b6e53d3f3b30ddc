package io.millrace.loadgen.operation;

import io.netty.buffer.ByteBuf;

/** Checks the bytes of one body as they arrive. */
interface BodyCheck {
    /** Accepts any bytes. */
    BodyCheck NONE = new BodyCheck() {
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
