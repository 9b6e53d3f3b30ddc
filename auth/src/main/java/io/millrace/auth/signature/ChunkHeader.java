package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;

/**
 * Header line of one chunk of an aws-chunked body: its size and signature.
 *
 * <pre>
 * signed    10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648
 * unsigned  10000
 * </pre>
 *
 * @param size of the chunk in bytes; 0 in the one that ends the body
 * @param signature as sent, 64 characters; empty if chunks are unsigned
 */
record ChunkHeader(long size, String signature) {
    /** Length limit of a header, enough for a size and a named signature. */
    static final int LONGEST = 128;

    private static final int MOST_DIGITS = 16;
    private static final String EXTENSION = "chunk-signature=";
    private static final int SIGNATURE_LENGTH = 64;

    /**
     * Parses {@code line}. Extensions of an unsigned chunk are ignored, as in HTTP; a signed chunk has its signature
     * only.
     */
    static ChunkHeader parse(String line, boolean signed) throws RequestVerificationException {
        int semicolon = line.indexOf(';');
        String digits = semicolon < 0 ? line : line.substring(0, semicolon);
        long size = size(digits);
        if (!signed) {
            return new ChunkHeader(size, "");
        }
        boolean complete = semicolon >= 0
                && line.startsWith(EXTENSION, semicolon + 1)
                && line.length() == semicolon + 1 + EXTENSION.length() + SIGNATURE_LENGTH;
        if (!complete) {
            throw PayloadErrors.badFraming();
        }
        return new ChunkHeader(size, line.substring(line.length() - SIGNATURE_LENGTH));
    }

    /** Returns whether this chunk ends the body. */
    boolean isLast() {
        return size == 0;
    }

    private static long size(String digits) throws RequestVerificationException {
        if (digits.isEmpty() || digits.length() > MOST_DIGITS) {
            throw PayloadErrors.badFraming();
        }
        long size = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = Character.digit(digits.charAt(i), 16);
            if (digit < 0) {
                throw PayloadErrors.badFraming();
            }
            size = size << 4 | digit;
        }
        if (size < 0) {
            throw PayloadErrors.badFraming();
        }
        return size;
    }
}
