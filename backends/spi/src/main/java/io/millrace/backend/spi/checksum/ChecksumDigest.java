package io.millrace.backend.spi.checksum;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** A running checksum of one body. Not safe for concurrent use. */
public interface ChecksumDigest {
    /** Adds the remaining bytes, and moves the buffer's position to its limit. */
    void update(ByteBuffer bytes);

    /** Returns the value in big-endian order, as S3 writes it; ends the digest. */
    byte[] bytes();

    /** Adds all of {@code bytes}. */
    default void update(byte[] bytes) {
        update(ByteBuffer.wrap(bytes));
    }

    /** Adds the readable bytes. Neither indices nor ownership change. */
    default void update(ByteBuf bytes) {
        // Not the internal NIO buffer: slices share it, and another thread may be writing one out.
        for (ByteBuffer part : bytes.nioBuffers()) {
            update(part);
        }
    }

    /** Returns the value in Base64; ends the digest. */
    default String base64() {
        return Base64Digest.encode(bytes());
    }
}
