package io.millrace.auth.payload;

import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Reads digests out of headers. */
final class Base64Value {
    private Base64Value() {}

    /** The bytes, or null if {@code text} is not Base64, with its padding, of exactly {@code length} bytes. */
    static byte @Nullable [] decode(String text, int length) {
        if (text.length() != (length + 2) / 3 * 4) {
            return null;
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            return bytes.length == length ? bytes : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
