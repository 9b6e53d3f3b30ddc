package io.millrace.gateway.control;

import io.millrace.auth.PayloadType;
import io.millrace.auth.policy.Principal;
import java.time.Instant;
import java.util.Optional;

/**
 * The authenticated sender of an API request.
 *
 * @param principal owner of the key that signed the request or its token
 * @param payload what the signature says of the body; empty if a token or a cookie authenticated the request
 * @param expiresAt the end of what authenticated the request; {@link Instant#MAX} for keys in settings
 * @param browserSession the access key of the session whose cookie authenticated the request; empty if none did
 */
record AuthenticatedCaller(
        Principal principal, Optional<PayloadType> payload, Instant expiresAt, Optional<String> browserSession) {
    /** The exchange attribute that holds the caller. */
    static final String CALLER_ATTRIBUTE = "io.millrace.caller";

    /** The exchange attribute that holds the {@link Principal}; no handler that needs it is reached without it. */
    static final String PRINCIPAL_ATTRIBUTE = "io.millrace.who";
}
