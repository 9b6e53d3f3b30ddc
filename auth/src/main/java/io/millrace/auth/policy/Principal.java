package io.millrace.auth.policy;

import java.util.List;

/**
 * Somebody who asks.
 *
 * @param name the identity's name in the operator's file; goes into logs, so it is no secret
 * @param rules what it may do, besides what anybody may
 */
public record Principal(String name, List<AllowRule> rules) {
    /** Whoever proves nothing. */
    public static final Principal ANONYMOUS = new Principal("anonymous", List.of());

    /** Copies {@code rules}. */
    public Principal {
        rules = List.copyOf(rules);
    }

    /** Whether this is nobody in particular. */
    public boolean isAnonymous() {
        return equals(ANONYMOUS);
    }
}
