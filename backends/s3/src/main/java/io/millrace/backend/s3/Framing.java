package io.millrace.backend.s3;

import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The form in which a body goes over the wire. For one body, whose pieces come in order. */
interface Framing {
    /** Bytes of the body itself. */
    long contentLength();

    /** Bytes on the wire. */
    long wireLength();

    /** A piece as it goes out; the caller's in place of {@code piece}. */
    ByteBuf frame(ByteBuf piece);

    /** What goes out behind the last piece; the caller's. Throws what the trailer throws. */
    ByteBuf end();

    /** Chunks for a body with a trailer, and for any other the bytes as they are. */
    static Framing of(UploadBody body) {
        return body.trailer()
                .<Framing>map(trailer -> new ChunkFraming(body.length(), trailer))
                .orElseGet(() -> new Plain(body.length()));
    }

    /** The bytes as they are. */
    record Plain(long contentLength) implements Framing {
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
