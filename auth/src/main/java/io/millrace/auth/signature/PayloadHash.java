package io.millrace.auth.signature;

import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;
import io.millrace.auth.PayloadType;

/**
 * What is signed for the body.
 *
 * @param signed the text in the canonical request
 * @param form what it means
 */
record PayloadHash(String signed, PayloadType form) {
    static final String HEADER = "x-amz-content-sha256";

    /** The payload a request states. */
    static PayloadHash stated(String text) throws AuthException {
        return new PayloadHash(text, PayloadType.parse(text).orElseThrow(PayloadHash::refusal));
    }

    /** The payload a request with a presigned URL states: chunks are only signed where the header is. */
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
