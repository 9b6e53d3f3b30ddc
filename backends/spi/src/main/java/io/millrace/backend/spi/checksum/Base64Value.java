package io.millrace.backend.spi.checksum;

import java.util.Base64;
import java.util.Optional;

/** Digests as headers carry them. */
public final class Base64Value {
    private Base64Value() {}

    /** As a header carries it, with its padding. */
    public static String encode(byte[] value) {
        return Base64.getEncoder().encodeToString(value);
    }

    /** The bytes; empty if {@code text} is not Base64, with its padding, of exactly {@code length} bytes. */
    public static Optional<byte[]> decode(String text, int length) {
        if (text.length() != (length + 2) / 3 * 4) {
            return Optional.empty();
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            return bytes.length == length ? Optional.of(bytes) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
