package io.millrace.gateway.s3.sts;

/** Thrown if an STS operation fails, with the code that STS has for it. The message goes to the client. */
final class StsException extends RuntimeException {
    private final Code code;

    StsException(Code code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    static StsException throttled() {
        return new StsException(Code.THROTTLING, "Rate exceeded");
    }

    Code code() {
        return code;
    }

    /** STS's error codes. */
    enum Code {
        ACCESS_DENIED("AccessDenied", 403),
        EXPIRED_TOKEN("ExpiredTokenException", 400),
        IDP_COMMUNICATION_ERROR("IDPCommunicationError", 400),
        INCOMPLETE_SIGNATURE("IncompleteSignature", 400),
        INVALID_ACTION("InvalidAction", 400),
        INVALID_CLIENT_TOKEN_ID("InvalidClientTokenId", 403),
        INVALID_IDENTITY_TOKEN("InvalidIdentityToken", 400),
        MALFORMED_POLICY_DOCUMENT("MalformedPolicyDocument", 400),
        MISSING_AUTHENTICATION_TOKEN("MissingAuthenticationToken", 403),
        PACKED_POLICY_TOO_LARGE("PackedPolicyTooLarge", 400),
        SERVICE_UNAVAILABLE("ServiceUnavailable", 503),
        SIGNATURE_DOES_NOT_MATCH("SignatureDoesNotMatch", 403),
        THROTTLING("Throttling", 400),
        VALIDATION_ERROR("ValidationError", 400);

        private final String text;
        private final int status;

        Code(String text, int status) {
            this.text = text;
            this.status = status;
        }

        String text() {
            return text;
        }

        int status() {
            return status;
        }
    }
}
