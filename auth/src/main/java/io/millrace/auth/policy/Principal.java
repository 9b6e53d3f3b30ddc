package io.millrace.auth.policy;

import java.util.List;

/**
 * Sender of a request: the name of its identity and the rules that grant it rights.
 *
 * @param name the identity's name in the operator's file; appears in logs, so it is not a secret
 * @param rules rights beyond those everybody has
 */
public record Principal(String name, List<AllowRule> rules) {
    /** The principal of requests without a signature. */
    public static final Principal ANONYMOUS = new Principal("anonymous", List.of());

    /** Copies {@code rules}. */
    public Principal {
        rules = List.copyOf(rules);
    }

    /** Returns whether this is {@link #ANONYMOUS}. */
    public boolean isAnonymous() {
        return equals(ANONYMOUS);
    }
}
