package io.millrace.auth;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A request that was refused before anybody looked at what it wants, or whose body turned out not to be the one it announced.
 * Message and details are for the client: they hold no secret and no signature of ours. There is no stack trace, since this
 * is no fault of the program.
 */
public final class AuthException extends Exception {
    private final Code code;
    private final Map<String, String> details;

    /** A refusal without details. */
    public AuthException(Code code, String message) {
        this(code, message, Map.of());
    }

    /** A refusal with details for the error's XML, in their order. */
    public AuthException(Code code, String message, Map<String, String> details) {
        super(message, null, false, false);
        this.code = code;
        this.details = new LinkedHashMap<>(details);
    }

    /** Why, in S3's words. */
    public Code code() {
        return code;
    }

    /**
     * Further elements of S3's error document, name to text, in the order to be written: with SignatureDoesNotMatch
     * {@code StringToSign} and {@code CanonicalRequest}, which show an operator what arrived. The texts are the
     * client's own and may hold any character.
     */
    public Map<String, String> details() {
        return new LinkedHashMap<>(details);
    }

    /**
     * Kinds of refusal, with S3's names.
     *
     * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html">Error responses</a>
     */
    public enum Code {
        /** The request is not acceptable as signed, or is unsigned where only half of a signature is there. */
        ACCESS_DENIED("AccessDenied", 403),
        /** A presigned URL or a bearer token is past its time; S3 has no code of its own for that. */
        EXPIRED("AccessDenied", 403),
        /** Nobody has this access key. */
        INVALID_ACCESS_KEY_ID("InvalidAccessKeyId", 403),
        /** The signature is not that of this request with that key. */
        SIGNATURE_DOES_NOT_MATCH("SignatureDoesNotMatch", 403),
        /** The client's clock and ours are too far apart. */
        REQUEST_TIME_TOO_SKEWED("RequestTimeTooSkewed", 403),
        /** The Authorization header does not parse. */
        AUTHORIZATION_HEADER_MALFORMED("AuthorizationHeaderMalformed", 400),
        /** The parameters of a presigned URL do not parse. */
        AUTHORIZATION_QUERY_PARAMETERS_ERROR("AuthorizationQueryParametersError", 400),
        /** A session token, which no identity here has, or a bearer token that is not one of ours. */
        INVALID_TOKEN("InvalidToken", 400),
        /** A way of authenticating that is not served, or headers of a body that contradict each other. */
        INVALID_REQUEST("InvalidRequest", 400),
        /** A value that cannot be. */
        INVALID_ARGUMENT("InvalidArgument", 400),
        /** A body of which nobody said how long it is. */
        MISSING_CONTENT_LENGTH("MissingContentLength", 411),
        /** A body longer than an object, or than a form's policy allows. */
        ENTITY_TOO_LARGE("EntityTooLarge", 400),
        /** A body shorter than a form's policy allows. */
        ENTITY_TOO_SMALL("EntityTooSmall", 400),
        /** A body that ended too early or too late, or is not framed as it announced. */
        INCOMPLETE_BODY("IncompleteBody", 400),
        /** A body that does not have the checksum or MD5 that was announced. */
        BAD_DIGEST("BadDigest", 400),
        /** A Content-MD5 that is no MD5. */
        INVALID_DIGEST("InvalidDigest", 400),
        /** A body that does not have the hash that was signed. */
        CONTENT_SHA256_MISMATCH("XAmzContentSHA256Mismatch", 400),
        /** Trailing headers that are not those that were announced. */
        MALFORMED_TRAILER("MalformedTrailerError", 400),
        /** A chunk shorter than S3 allows any but the last to be; a long one is an {@link #INVALID_REQUEST}. */
        INVALID_CHUNK_SIZE("InvalidChunkSizeError", 403),
        /** A form's policy that does not parse. */
        INVALID_POLICY_DOCUMENT("InvalidPolicyDocument", 400);

        private final String text;
        private final int status;

        Code(String text, int status) {
            this.text = text;
            this.status = status;
        }

        /** The code as S3 writes it. */
        public String text() {
            return text;
        }

        /** The HTTP status that goes with it. */
        public int status() {
            return status;
        }
    }
}
