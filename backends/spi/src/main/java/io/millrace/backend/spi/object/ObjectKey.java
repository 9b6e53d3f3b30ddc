package io.millrace.backend.spi.object;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;

/**
 * The validated key of an object: 1 to 1,024 bytes of valid UTF-8. It is not a path: {@code ..}, {@code //} and a
 * leading slash are parts of the name. It is kept as text because valid UTF-8 survives that round trip; its order is
 * the order of its bytes, as S3 lists.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html">Object keys</a>
 */
public record ObjectKey(String value) implements Comparable<ObjectKey> {
    /** S3's limit, in bytes of UTF-8. */
    public static final int MAX_BYTES = 1024;

    /**
     * Compares strings in the byte order of UTF-8; {@link String#compareTo} differs from it where surrogates meet
     * U+E000 and above.
     */
    public static final Comparator<String> UTF8_ORDER = ObjectKey::compareUtf8;

    /**
     * @throws IllegalArgumentException if {@code value} is empty, longer than {@link #MAX_BYTES} in UTF-8, or holds an
     *     unpaired surrogate
     */
    public ObjectKey {
        int bytes = utf8Length(value);
        if (bytes == 0 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException("a key has 1 to 1024 bytes of UTF-8, this one has " + bytes);
        }
    }

    /**
     * Returns the key with these UTF-8 bytes.
     *
     * @throws IllegalArgumentException if they are empty, too many, or not valid UTF-8
     */
    public static ObjectKey ofUtf8(byte[] bytes) {
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return new ObjectKey(text.toString());
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a key must be valid UTF-8", e);
        }
    }

    /** Returns the key's UTF-8 bytes in a new array. */
    public byte[] utf8() {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public int compareTo(ObjectKey other) {
        return compareUtf8(value, other.value);
    }

    @Override
    public String toString() {
        return value;
    }

    private static int compareUtf8(String a, String b) {
        int shared = Math.min(a.length(), b.length());
        for (int i = 0; i < shared; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                // A surrogate stands for a code point above every other char, so it sorts last in UTF-8.
                boolean high = Character.isSurrogate(x);
                return high == Character.isSurrogate(y) ? Character.compare(x, y) : high ? 1 : -1;
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    private static int utf8Length(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                bytes += 1;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (!Character.isSurrogate(c)) {
                bytes += 3;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                throw new IllegalArgumentException("a key must be valid Unicode");
            }
        }
        return bytes;
    }
}
