package io.millrace.gateway.control;

import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import java.util.Arrays;
import java.util.List;
import org.springframework.http.HttpStatus;

/**
 * Authorizes requests about the gateway as a whole. Each takes one of the rights view, operate and admin on every
 * bucket.
 */
record ControlAuthorizer(Authorizer authorizer) {
    /** Returns the rights that {@code principal} has on every bucket, by their names. */
    List<String> rightsEverywhere(Principal principal) {
        return Arrays.stream(Right.values())
                .filter(right -> hasEverywhere(principal, right))
                .map(Right::text)
                .toList();
    }

    boolean hasEverywhere(Principal principal, Right right) {
        return authorizer
                .decide(principal, right.action(), AccessScope.ALL_BUCKETS)
                .isAllowed();
    }

    /**
     * Requires the right to see the gateway's state.
     *
     * @param what subject of the message, such as {@code The list of disks}
     * @throws ApiException (403) if {@code principal} lacks it
     */
    void requireView(Principal principal, String what) {
        require(principal, Right.VIEW, what);
    }

    /** Requires the right to change what is cached and how, as {@link #requireView}. */
    void requireOperate(Principal principal, String what) {
        require(principal, Right.OPERATE, what);
    }

    /** Requires the right to see and change settings and credentials, as {@link #requireView}. */
    void requireAdmin(Principal principal, String what) {
        require(principal, Right.ADMIN, what);
    }

    private void require(Principal principal, Right right, String what) {
        if (!hasEverywhere(principal, right)) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN,
                    "%s needs the right %s on every bucket (allow: \"%s:*\" or \"*\")."
                            .formatted(what, right.text(), right.text()));
        }
    }
}
