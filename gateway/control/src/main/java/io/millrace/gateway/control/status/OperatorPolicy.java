package io.millrace.gateway.control.status;

import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.gateway.control.request.ApiException;
import org.springframework.http.HttpStatus;

/**
 * Decides whether an identity is an operator, who may see all backends and disks. That takes the right admin on every bucket.
 */
public final class OperatorPolicy {
    private final AccessPolicy policy;

    public OperatorPolicy(AccessPolicy policy) {
        this.policy = policy;
    }

    boolean isOperator(Principal principal) {
        return policy.allowsEverywhere(principal, Right.ADMIN);
    }

    /**
     * @param what subject of the message, such as {@code The list of disks}
     * @throws ApiException (403) if {@code principal} is not an operator
     */
    void requireOperator(Principal principal, String what) {
        if (!isOperator(principal)) {
            throw ApiException.of(HttpStatus.FORBIDDEN, what + " takes the right admin on every bucket (admin:*).");
        }
    }
}
