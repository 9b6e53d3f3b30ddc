package io.millrace.auth.signature;

import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.Sha256;

/**
 * Value of {@code x-amz-content-sha256} that a signature covers in place of the body, and the payload type that it
 * names.
 *
 * @param signed the text in the canonical request
 * @param form the payload type that the text names
 */
record PayloadHash(String signed, PayloadType form) {
    static final String HEADER = "x-amz-content-sha256";

    /** Returns the hash of a body that has been read. */
    static PayloadHash ofBody(byte[] body) {
        String hash = Sha256.hex(body);
        return new PayloadHash(hash, new PayloadType.Sha256(hash));
    }

    /** Parses the value a request states. */
    static PayloadHash stated(String text) throws RequestVerificationException {
        return new PayloadHash(text, PayloadType.parse(text).orElseThrow(PayloadHash::refusal));
    }

    /**
     * Parses the value a presigned URL states. It cannot announce signed chunks, because those need an Authorization
     * header.
     */
    static PayloadHash statedForUrl(String text) throws RequestVerificationException {
        PayloadHash payload = stated(text);
        if (payload.form instanceof PayloadType.SignedChunks) {
            throw new RequestVerificationException(
                    Code.INVALID_ARGUMENT, "A presigned URL cannot announce signed chunks.");
        }
        return payload;
    }

    private static RequestVerificationException refusal() {
        return new RequestVerificationException(
                Code.INVALID_ARGUMENT,
                HEADER + " must be UNSIGNED-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD,"
                        + " STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, STREAMING-UNSIGNED-PAYLOAD-TRAILER or a SHA-256"
                        + " in hex.");
    }
}
