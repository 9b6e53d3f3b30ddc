package io.millrace.backend.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Adds the framing of a request body: aws-chunked, or none. */
public interface BodyFramer {
    /** Returns the length of the body in bytes. */
    long contentLength();

    /** Returns the length on the wire in bytes. */
    long wireLength();

    /** Returns the framed buffer, which the caller owns instead of {@code piece}. */
    ByteBuf frame(ByteBuf piece);

    /** Returns the end of the framing, which the caller owns. Throws what the trailer throws. */
    ByteBuf end();

    /** A body without framing. */
    record Unframed(long contentLength) implements BodyFramer {
        @Override
        public long wireLength() {
            return contentLength;
        }

        @Override
        public ByteBuf frame(ByteBuf piece) {
            return piece;
        }

        @Override
        public ByteBuf end() {
            return Unpooled.EMPTY_BUFFER;
        }
    }
}
