package io.millrace.loadgen.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The body of a request, written in pieces at the pace of the socket. */
public interface PayloadSource {
    /** Limit of a piece in bytes: with larger ones TLS would hold more memory, with smaller ones writes cost more. */
    int LARGEST_PIECE = 256 << 10;

    /** A body of no bytes. */
    PayloadSource EMPTY = of(new byte[0]);

    /** Returns the number of bytes. */
    long length();

    /**
     * Returns the bytes from {@code offset} on, at least one and at most {@link #LARGEST_PIECE}.
     *
     * @param offset less than {@link #length()}
     * @return a buffer that the caller releases
     */
    ByteBuf piece(long offset);

    /** Returns a body of these bytes. */
    static PayloadSource of(byte[] bytes) {
        return new PayloadSource() {
            @Override
            public long length() {
                return bytes.length;
            }

            @Override
            public ByteBuf piece(long offset) {
                return Unpooled.wrappedBuffer(
                        bytes, (int) offset, Math.min(LARGEST_PIECE, bytes.length - (int) offset));
            }
        };
    }

    /** Returns a body that is a span of a synthetic object. */
    static PayloadSource of(SyntheticObject object, ByteSpan span) {
        return new PayloadSource() {
            @Override
            public long length() {
                return span.length();
            }

            @Override
            public ByteBuf piece(long offset) {
                return object.bytes(span.from() + offset, (int) Math.min(LARGEST_PIECE, span.length() - offset));
            }
        };
    }
}
