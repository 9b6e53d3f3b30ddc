package io.millrace.gateway.agreement;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** The bounds of the agreed map, equal at all members: each keeps the whole map in memory, and sends it as one. */
final class AgreedLimits {
    /** In characters of a key, which are printable ASCII. */
    static final int MOST_KEY = 256;

    /** In bytes of a value as UTF-8. */
    static final int MOST_VALUE = 64 << 10;

    /** Compares and changes of one transaction. */
    static final int MOST_PARTS = 64;

    /** In bytes of all keys and values of one transaction: it is one message, and one record of the log. */
    static final int MOST_TRANSACTION = 256 << 10;

    /** In bytes of all keys and values of the map: a range of all is one message, and so is a snapshot. */
    static final int MOST_MAP = 2 << 20;

    private static final Pattern KEY = Pattern.compile("[!-~]{1," + MOST_KEY + "}");

    private AgreedLimits() {}

    static void checkKey(String key) {
        if (!KEY.matcher(key).matches()) {
            throw new IllegalArgumentException(
                    "not a key of the agreed map: it takes 1 to %d characters of printable ASCII, without spaces"
                            .formatted(MOST_KEY));
        }
    }

    static void checkPrefix(String prefix) {
        if (!prefix.isEmpty()) {
            checkKey(prefix);
        }
    }

    static void checkValue(String value) {
        if (sizeOf(value) > MOST_VALUE) {
            throw new IllegalArgumentException(
                    "a value of the agreed map has at most %d bytes, not %d".formatted(MOST_VALUE, sizeOf(value)));
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw new IllegalArgumentException("a value of the agreed map must be text");
        }
    }

    /** Returns the bytes of a text as UTF-8. */
    static int sizeOf(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
