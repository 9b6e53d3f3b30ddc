package io.millrace.auth;

import io.millrace.auth.AuthException.Code;

/**
 * What is signed for the body.
 *
 * @param signed the text in the canonical request
 * @param form what it means
 */
record Payload(String signed, PayloadForm form) {
    static final String HEADER = "x-amz-content-sha256";

    /** The payload a request states. */
    static Payload stated(String text) throws AuthException {
        return new Payload(text, PayloadForm.parse(text).orElseThrow(Payload::refusal));
    }

    /** The payload a request with a presigned URL states: chunks are only signed where the header is. */
    static Payload statedForUrl(String text) throws AuthException {
        Payload payload = stated(text);
        if (payload.form instanceof PayloadForm.SignedChunks) {
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
