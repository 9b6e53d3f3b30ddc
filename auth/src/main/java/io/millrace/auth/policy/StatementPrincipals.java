package io.millrace.auth.policy;

import io.millrace.config.problem.InvalidValueException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * The {@code Principal} of a statement in a bucket's policy: everyone, every identity, or some identities by name.
 *
 * @param everyone whether unsigned requests are included
 * @param allIdentities whether all identities are included
 * @param names the identities
 */
record StatementPrincipals(boolean everyone, boolean allIdentities, Set<String> names) {
    static final StatementPrincipals EVERYONE = new StatementPrincipals(true, true, Set.of());

    private static final String ROOT = "arn:aws:iam::" + Principal.ACCOUNT + ":root";
    private static final String USER = Principal.USER_ARN;

    StatementPrincipals {
        names = Set.copyOf(names);
    }

    static StatementPrincipals of(Collection<String> written) throws InvalidValueException {
        boolean everyone = false;
        boolean allIdentities = false;
        Set<String> names = new HashSet<>();
        for (String principal : written) {
            if (principal.equals("*")) {
                everyone = true;
            } else if (principal.equals(Principal.ACCOUNT) || principal.equals(ROOT)) {
                allIdentities = true;
            } else if (principal.startsWith(USER)
                    && principal.length() > USER.length()
                    && principal.indexOf('*') < 0
                    && principal.indexOf('?') < 0) {
                names.add(principal.substring(USER.length()));
            } else {
                throw new InvalidValueException(
                        "has the principal \"" + principal + "\", which is no identity",
                        "write " + USER + "NAME for an identity of the settings, " + ROOT
                                + " for all of them, or * for unsigned requests too");
            }
        }
        return new StatementPrincipals(everyone, everyone || allIdentities, names);
    }

    /**
     * Returns whether a statement concerns {@code principal}. A session is no identity: what all identities are allowed
     * is for those of the settings, because a role's own policies are to be all that it may do; what they are denied,
     * sessions are too.
     *
     * @param allows whether the statement allows
     */
    boolean include(Principal principal, boolean allows) {
        if (everyone) {
            return true;
        }
        if (principal.variables().userName().isEmpty()) {
            return allIdentities && !allows && !principal.isAnonymous();
        }
        return allIdentities || names.contains(principal.name());
    }
}
