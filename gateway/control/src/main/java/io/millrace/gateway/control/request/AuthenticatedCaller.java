package io.millrace.gateway.control.request;

import io.millrace.auth.PayloadType;
import io.millrace.auth.policy.Principal;
import java.util.Optional;

/**
 * The authenticated sender of an API request.
 *
 * @param principal owner of the key that signed the request or its token
 * @param payload what the signature says of the body; empty if a token authenticated the request
 */
public record AuthenticatedCaller(Principal principal, Optional<PayloadType> payload) {
    /** The exchange attribute that holds the {@link Principal}; no handler that needs it is reached without it. */
    public static final String PRINCIPAL_ATTRIBUTE = "io.millrace.who";
}
