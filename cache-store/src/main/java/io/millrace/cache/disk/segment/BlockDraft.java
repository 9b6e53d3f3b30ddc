package io.millrace.cache.disk.segment;

import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A block that is about to be written.
 *
 * @param key the fingerprint it is found by, of its version and number
 * @param number of the block in its version
 * @param identity tells whose block it is, as {@link io.millrace.cache.metadata.ObjectIdCodec} has it
 * @param body in pages of {@link ChecksumPages#SIZE}, the last one shorter; owned by whoever made the draft until its outcome is reported
 */
public record BlockDraft(Fingerprint key, long number, ByteBuffer identity, List<ByteBuf> body) {
    /** Bytes of the longest identity. */
    public static final int MAX_IDENTITY = 8 << 10;

    public BlockDraft {
        if (identity.remaining() > MAX_IDENTITY) {
            throw new IllegalArgumentException("an identity of " + identity.remaining() + " bytes");
        }
        body = List.copyOf(body);
    }

    /** Bytes of the body. */
    public int bodyBytes() {
        int bytes = 0;
        for (ByteBuf page : body) {
            bytes += page.readableBytes();
        }
        return bytes;
    }
}
