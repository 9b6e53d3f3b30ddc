package io.millrace.backend.spi.checksum;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** Digests bytes as they come by. For one thread at a time, and one body. */
public interface ChecksumDigest {
    /** Takes what is left in {@code bytes}, and moves its position to its limit. */
    void update(ByteBuffer bytes);

    /** The value in big-endian order, as S3 writes it; ends the digest. */
    byte[] bytes();

    /** Takes all of {@code bytes}. */
    default void update(byte[] bytes) {
        update(ByteBuffer.wrap(bytes));
    }

    /** Takes the readable bytes. Neither indices nor ownership change. */
    default void update(ByteBuf bytes) {
        // Not the internal NIO buffer: slices that were handed on share it, and somebody else may be writing one out.
        for (ByteBuffer part : bytes.nioBuffers()) {
            update(part);
        }
    }

    /** The value as headers carry it; ends the digest. */
    default String base64() {
        return Base64Value.encode(bytes());
    }
}
