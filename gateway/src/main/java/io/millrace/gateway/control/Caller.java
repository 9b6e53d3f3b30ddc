package io.millrace.gateway.control;

import io.millrace.auth.PayloadForm;
import io.millrace.auth.Principal;
import java.util.Optional;

/**
 * Who asks.
 *
 * @param payload what was signed of the body; empty if a token told who asks
 */
record Caller(Principal who, Optional<PayloadForm> payload) {
    /** The attribute of an exchange that holds the {@link Principal}; what needs one is not reached without. */
    static final String WHO = "io.millrace.who";
}
