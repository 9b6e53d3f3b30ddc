package io.millrace.auth.policy;

import java.util.Optional;

/**
 * The decision whether a request is allowed, with its reason.
 *
 * @param statement the statement that denies, or else allows; empty if nothing allows it
 */
public record AccessDecision(Optional<PolicyStatement> statement) {
    public boolean isAllowed() {
        return statement.filter(PolicyStatement::allows).isPresent();
    }
}
