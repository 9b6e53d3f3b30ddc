package io.millrace.cache.disk;

import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A complete block that waits to be written to a cache disk: its fingerprint, identity and bytes.
 *
 * @param key the fingerprint of its object version and number
 * @param number of the block in its object version
 * @param identity of the object version, see {@link io.millrace.cache.metadata.ObjectIdCodec}
 * @param body in pages of {@link BlockPageLayout#SIZE}, the last one shorter; owned by the caller, unchanged until the
 *     write callback
 * @param withdrawn whether its bytes turned out to be wrong, so that it must not be found; called by the disk's writer,
 *     must not block
 */
public record BlockToWrite(
        Fingerprint key, long number, ByteBuffer identity, List<ByteBuf> body, BooleanSupplier withdrawn) {
    /** Bytes of the longest identity. */
    public static final int MAX_IDENTITY = 8 << 10;

    public BlockToWrite {
        if (identity.remaining() > MAX_IDENTITY) {
            throw new IllegalArgumentException("an identity of " + identity.remaining() + " bytes");
        }
        body = List.copyOf(body);
    }

    /** Creates a block that is never withdrawn. */
    public BlockToWrite(Fingerprint key, long number, ByteBuffer identity, List<ByteBuf> body) {
        this(key, number, identity, body, () -> false);
    }

    /** Returns the same block with a condition under which it is withdrawn. */
    public BlockToWrite withdrawnIf(BooleanSupplier condition) {
        return new BlockToWrite(key, number, identity, body, condition);
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
