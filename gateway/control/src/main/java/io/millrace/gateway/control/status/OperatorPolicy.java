package io.millrace.gateway.control.status;

import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.gateway.control.request.ApiException;
import org.springframework.http.HttpStatus;

/**
 * Decides whether an identity is an operator, who may see all backends and disks. That takes the right admin on every bucket.
 */
public final class OperatorPolicy {
    private final Authorizer authorizer;

    public OperatorPolicy(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    boolean isOperator(Principal principal) {
        return authorizer.allowsEverywhere(principal, PolicyAction.ADMINISTER);
    }

    /**
     * Requires an operator.
     *
     * @param what subject of the message, such as {@code The list of disks}
     * @throws ApiException (403) if {@code principal} is not an operator
     */
    public void requireOperator(Principal principal, String what) {
        if (!isOperator(principal)) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN,
                    what + " needs the right admin on every bucket (allow: \"admin:*\" or \"*\").");
        }
    }
}
