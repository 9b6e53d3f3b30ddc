package io.millrace.loadgen.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Synthetic object whose size and bytes are computed from its key. The size is the last part of the key, as in
 * {@code data/00042/65536}. The bytes are slices of one shared table at an offset that the key determines, so sending
 * and comparing them needs no copy. The table's length is prime, so that bytes of another block, object or offset
 * differ.
 *
 * @param key without the bucket
 * @param size in bytes, 0 or more
 */
public record SyntheticObject(String key, long size) {
    private static final int PERIOD = 16_777_213;
    private static final ByteBuf TABLE = table();

    /** Returns the object of a key; empty if the key does not end in a size. */
    public static Optional<SyntheticObject> of(String key) {
        try {
            long size = Long.parseLong(key.substring(key.lastIndexOf('/') + 1));
            return size < 0 ? Optional.empty() : Optional.of(new SyntheticObject(key, size));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Returns a strong entity tag, with its quotes. */
    public String etag() {
        return "\"%016x%016x\"".formatted(hash(), size);
    }

    /** Returns 1 to {@code most} bytes from {@code offset} on, as a view that needs no release. */
    public ByteBuf bytes(long offset, int most) {
        int from = place(offset);
        return TABLE.slice(from, Math.min(most, PERIOD - from));
    }

    /** Returns whether the readable bytes of {@code piece} equal the object's bytes at {@code offset}. */
    public boolean matches(long offset, ByteBuf piece) {
        int compared = 0;
        while (compared < piece.readableBytes()) {
            ByteBuf expected = bytes(offset + compared, piece.readableBytes() - compared);
            int at = piece.readerIndex() + compared;
            if (!ByteBufUtil.equals(expected, expected.readerIndex(), piece, at, expected.readableBytes())) {
                return false;
            }
            compared += expected.readableBytes();
        }
        return true;
    }

    private int place(long offset) {
        return (int) ((Long.remainderUnsigned(hash(), PERIOD) + offset) % PERIOD);
    }

    /** Returns the key's 64-bit FNV-1a hash, which is fast for short keys. */
    private long hash() {
        long hash = 0xCBF29CE484222325L;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * 0x100000001B3L;
        }
        return hash ^ (hash >>> 32);
    }

    private static ByteBuf table() {
        byte[] bytes = new byte[PERIOD];
        new SplittableRandom(7).nextBytes(bytes);
        return Unpooled.unreleasableBuffer(Unpooled.directBuffer(PERIOD).writeBytes(bytes));
    }
}
