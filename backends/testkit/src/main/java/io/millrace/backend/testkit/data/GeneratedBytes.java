package io.millrace.backend.testkit.data;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Generated object content: the byte at an offset follows from a name, a seed and that offset. Two names or two seeds
 * differ in nearly every byte, so bytes of a wrong object, version or offset are recognized.
 *
 * @param name usually the key
 * @param seed selects a content of that name, usually a version number
 */
public record GeneratedBytes(String name, long seed) {
    /** Returns the content of a key with seed 0. */
    public static GeneratedBytes of(String name) {
        return new GeneratedBytes(name, 0);
    }

    /** Returns the byte at {@code offset}, 0 or more. */
    public byte at(long offset) {
        return (byte) (word(offset >> 3) >>> ((offset & 7) << 3));
    }

    /** Returns the first {@code length} bytes. */
    public byte[] first(int length) {
        return slice(0, length);
    }

    /** Returns {@code length} bytes from {@code offset}. */
    public byte[] slice(long offset, int length) {
        byte[] bytes = new byte[length];
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (words.hasRemaining()) {
            long position = offset + words.position();
            if ((position & 7) == 0 && words.remaining() >= Long.BYTES) {
                words.putLong(word(position >> 3));
            } else {
                words.put(at(position));
            }
        }
        return bytes;
    }

    /** Returns eight bytes at once: the finalizer of SplitMix64 over a counter. */
    private long word(long index) {
        long x = name.hashCode() * 0x9E3779B97F4A7C15L + seed * 0xD1B54A32D192ED03L + index * 0x9E3779B97F4A7C15L;
        x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
        x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
        return x ^ (x >>> 31);
    }
}
