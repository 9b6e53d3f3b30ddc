package io.millrace.backend.azure;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A position in a listing: a page of the service, and how far it was passed on.
 *
 * @param marker of the page, as the service gave it; empty for the first page
 * @param after the name after which entries are passed on; empty for all
 */
record BlobListPosition(String marker, String after) {
    static final BlobListPosition START = new BlobListPosition("", "");

    /** Returns the position as a continuation token. */
    String toToken() {
        return encode(marker) + "." + encode(after);
    }

    /** Parses a continuation token. */
    static BlobListPosition ofToken(String token) {
        int dot = token.indexOf('.');
        try {
            return new BlobListPosition(decode(token.substring(0, Math.max(dot, 0))), decode(token.substring(dot + 1)));
        } catch (IllegalArgumentException invalid) {
            throw new BackendException(FailureKind.INVALID_REQUEST, "not a continuation token of this backend");
        }
    }

    /** Returns whether entries of the page have to be skipped. */
    boolean isInside() {
        return !after.isEmpty();
    }

    private static String encode(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decode(String text) {
        return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
    }
}
