package io.millrace.auth;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Thrown if authentication of a request fails, or if its body does not match the length, hash or checksum in its
 * headers. Message and details go to the client: they hold no secret and no signature computed here. It has no stack
 * trace, because it is not a fault of the program.
 */
public final class RequestVerificationException extends Exception {
    private final Code code;
    private final Map<String, String> details;

    /** Creates an error without details. */
    public RequestVerificationException(Code code, String message) {
        this(code, message, Map.of());
    }

    /** Creates an error with details for the error's XML, in their order. */
    public RequestVerificationException(Code code, String message, Map<String, String> details) {
        super(message, null, false, false);
        this.code = code;
        this.details = new LinkedHashMap<>(details);
    }

    /** Returns the S3 error code. */
    public Code code() {
        return code;
    }

    /**
     * Returns further elements of S3's error document, name to text, in the order to be written: with
     * SignatureDoesNotMatch {@code StringToSign} and {@code CanonicalRequest}, which show an operator what arrived. The
     * texts come from the client and may hold any character.
     */
    public Map<String, String> details() {
        return new LinkedHashMap<>(details);
    }

    /**
     * S3's error codes for requests that fail authentication or payload verification.
     *
     * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html">Error responses</a>
     */
    public enum Code {
        /** The request is not acceptable as signed, or has only part of a signature. */
        ACCESS_DENIED("AccessDenied", 403),
        /** A presigned URL or a bearer token has expired; S3 has no code of its own for that. */
        EXPIRED("AccessDenied", 403),
        /** An operator has revoked the credentials. Not INVALID_TOKEN, whose status is not one of refusals. */
        REVOKED("AccessDenied", 403),
        /** No identity has this access key. */
        INVALID_ACCESS_KEY_ID("InvalidAccessKeyId", 403),
        /** The signature is not that of this request with that key. */
        SIGNATURE_DOES_NOT_MATCH("SignatureDoesNotMatch", 403),
        /** The clocks of client and server are too far apart. */
        REQUEST_TIME_TOO_SKEWED("RequestTimeTooSkewed", 403),
        /** The Authorization header does not parse. */
        AUTHORIZATION_HEADER_MALFORMED("AuthorizationHeaderMalformed", 400),
        /** The parameters of a presigned URL do not parse. */
        AUTHORIZATION_QUERY_PARAMETERS_ERROR("AuthorizationQueryParametersError", 400),
        /** A session token has expired. */
        EXPIRED_TOKEN("ExpiredToken", 400),
        /** An invalid session token or bearer token. */
        INVALID_TOKEN("InvalidToken", 400),
        /** An unsupported authentication scheme, or headers of a body that contradict each other. */
        INVALID_REQUEST("InvalidRequest", 400),
        /** An impossible value. */
        INVALID_ARGUMENT("InvalidArgument", 400),
        /** A body without a stated length. */
        MISSING_CONTENT_LENGTH("MissingContentLength", 411),
        /** A body longer than an object, or than a form's policy allows. */
        ENTITY_TOO_LARGE("EntityTooLarge", 400),
        /** A body shorter than a form's policy allows. */
        ENTITY_TOO_SMALL("EntityTooSmall", 400),
        /** A body that is too short, too long, or not framed as announced. */
        INCOMPLETE_BODY("IncompleteBody", 400),
        /** A body whose checksum or MD5 differs from the announced one. */
        BAD_DIGEST("BadDigest", 400),
        /** A malformed Content-MD5. */
        INVALID_DIGEST("InvalidDigest", 400),
        /** A body whose hash differs from the signed one. */
        CONTENT_SHA256_MISMATCH("XAmzContentSHA256Mismatch", 400),
        /** Trailing headers that differ from the announced ones. */
        MALFORMED_TRAILER("MalformedTrailerError", 400),
        /**
         * A chunk below S3's minimum size that is not the last one; a chunk that is too large is an
         * {@link #INVALID_REQUEST}.
         */
        INVALID_CHUNK_SIZE("InvalidChunkSizeError", 403),
        /** A form's policy that does not parse. */
        INVALID_POLICY_DOCUMENT("InvalidPolicyDocument", 400);

        private final String text;
        private final int status;

        Code(String text, int status) {
            this.text = text;
            this.status = status;
        }

        /** Returns the code as S3 writes it. */
        public String text() {
            return text;
        }

        /** Returns the HTTP status of this code. */
        public int status() {
            return status;
        }
    }
}
