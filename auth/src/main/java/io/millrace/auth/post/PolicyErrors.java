package io.millrace.auth.post;

import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;

/** Refusals of policies that do not parse, and of forms that are not as their policy wants them; in S3's words. */
final class PolicyErrors {
    private PolicyErrors() {}

    /** The policy does not parse. */
    static AuthException because(String why) {
        return new AuthException(Code.INVALID_POLICY_DOCUMENT, "Invalid Policy: " + why);
    }

    static AuthException json() {
        return because("Invalid JSON.");
    }

    /** The policy does not allow it. */
    static AuthException denied(String why) {
        return new AuthException(Code.ACCESS_DENIED, "Invalid according to Policy: " + why);
    }

    /** The policy does not allow it by this condition. */
    static AuthException failed(String condition) {
        return denied("Policy Condition failed: " + condition);
    }
}
