package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;

/**
 * Creates the errors for malformed POST policies and for upload forms that violate their policy, with S3's messages.
 */
final class PolicyErrors {
    private PolicyErrors() {}

    /** Returns the error for a policy that does not parse. */
    static RequestVerificationException because(String why) {
        return new RequestVerificationException(Code.INVALID_POLICY_DOCUMENT, "Invalid Policy: " + why);
    }

    static RequestVerificationException json() {
        return because("Invalid JSON.");
    }

    /** Returns the error for a form that its policy does not allow. */
    static RequestVerificationException denied(String why) {
        return new RequestVerificationException(Code.ACCESS_DENIED, "Invalid according to Policy: " + why);
    }

    /** Returns the error for a form that fails this condition. */
    static RequestVerificationException failed(String condition) {
        return denied("Policy Condition failed: " + condition);
    }
}
