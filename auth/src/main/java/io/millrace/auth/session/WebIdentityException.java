package io.millrace.auth.session;

/** Thrown if a token of an identity provider is not accepted. The message goes to the client; it holds no secret. */
public final class WebIdentityException extends RuntimeException {
    private final Reason reason;

    WebIdentityException(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    /** Returns why the token is not accepted. */
    public Reason reason() {
        return reason;
    }

    /** The reason for which a token is not accepted. */
    public enum Reason {
        /** It is malformed, of another issuer, for another audience, not valid yet, or not signed by the issuer. */
        INVALID,
        /** It was valid once. */
        EXPIRED,
        /** The issuer's keys cannot be fetched, or were fetched too recently to do so again. */
        ISSUER_UNREACHABLE
    }
}
