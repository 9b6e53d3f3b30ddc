package io.millrace.cache.disk.segment;

import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A complete block that waits to be written to a cache disk: its fingerprint, identity and bytes.
 *
 * @param key the fingerprint of its object version and number
 * @param number of the block in its object version
 * @param identity of the object version, see {@link io.millrace.cache.metadata.ObjectIdCodec}
 * @param body in pages of {@link BlockPageLayout#SIZE}, the last one shorter; owned by the caller, unchanged until the
 *     write callback
 */
public record BlockToWrite(Fingerprint key, long number, ByteBuffer identity, List<ByteBuf> body) {
    /** Bytes of the longest identity. */
    public static final int MAX_IDENTITY = 8 << 10;

    public BlockToWrite {
        if (identity.remaining() > MAX_IDENTITY) {
            throw new IllegalArgumentException("an identity of " + identity.remaining() + " bytes");
        }
        body = List.copyOf(body);
    }

    /** Returns the bytes of the body. */
    public int bodyBytes() {
        int bytes = 0;
        for (ByteBuf page : body) {
            bytes += page.readableBytes();
        }
        return bytes;
    }
}
