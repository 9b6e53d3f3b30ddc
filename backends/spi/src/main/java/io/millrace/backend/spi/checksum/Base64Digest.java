package io.millrace.backend.spi.checksum;

import java.util.Base64;
import java.util.Optional;

/** Encodes and decodes digests in Base64, as headers contain them. */
public final class Base64Digest {
    private Base64Digest() {}

    /** Returns the digest in Base64 with padding. */
    public static String encode(byte[] value) {
        return Base64.getEncoder().encodeToString(value);
    }

    /** Returns the decoded bytes; empty if {@code text} is not padded Base64 of exactly {@code length} bytes. */
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
