package io.millrace.auth.signature;

import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;
import io.millrace.auth.PayloadType;

/**
 * Value of {@code x-amz-content-sha256} that a signature covers in place of the body, and the payload type that it names.
 *
 * @param signed the text in the canonical request
 * @param form the payload type that the text names
 */
record PayloadHash(String signed, PayloadType form) {
    static final String HEADER = "x-amz-content-sha256";

    /** Parses the value a request states. */
    static PayloadHash stated(String text) throws AuthException {
        return new PayloadHash(text, PayloadType.parse(text).orElseThrow(PayloadHash::refusal));
    }

    /**
     * Parses the value a presigned URL states. It cannot announce signed chunks, because those need an Authorization
     * header.
     */
    static PayloadHash statedForUrl(String text) throws AuthException {
        PayloadHash payload = stated(text);
        if (payload.form instanceof PayloadType.SignedChunks) {
            throw new AuthException(Code.INVALID_ARGUMENT, "A presigned URL cannot announce signed chunks.");
        }
        return payload;
    }

    private static AuthException refusal() {
        return new AuthException(
                Code.INVALID_ARGUMENT,
                HEADER + " must be UNSIGNED-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD,"
                        + " STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, STREAMING-UNSIGNED-PAYLOAD-TRAILER or a SHA-256"
                        + " in hex.");
    }
}
