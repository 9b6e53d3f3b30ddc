package io.millrace.loadgen;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * An object that nobody stores: its size is the last part of its key, as in {@code data/00042/65536}, and its bytes follow from
 * the key. They are read out of one table, from a place that the key decides, so that neither to send them nor to compare them
 * takes a copy. The table's length is a prime: a byte of another block, of another object or of another offset is another one.
 *
 * @param key without the bucket
 * @param size in bytes, 0 or more
 */
record ComputedObject(String key, long size) {
    private static final int PERIOD = 16_777_213;
    private static final ByteBuf TABLE = table();

    /** The object of a key; none if the key does not end in a size. */
    static Optional<ComputedObject> of(String key) {
        try {
            long size = Long.parseLong(key.substring(key.lastIndexOf('/') + 1));
            return size < 0 ? Optional.empty() : Optional.of(new ComputedObject(key, size));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** A strong entity tag, with its quotes. */
    String etag() {
        return "\"%016x%016x\"".formatted(hash(), size);
    }

    /** Bytes from {@code offset} on, 1 to {@code most} of them; a view that needs no release. */
    ByteBuf bytes(long offset, int most) {
        int from = place(offset);
        return TABLE.slice(from, Math.min(most, PERIOD - from));
    }

    /** Whether the readable bytes of {@code piece} are what lies at {@code offset}. */
    boolean matches(long offset, ByteBuf piece) {
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

    /** FNV-1a, 64 bits: keys are short. */
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
