package io.millrace.auth.policy;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The decision whether something is allowed, with its reason. What is not allowed need not be denied by a statement.
 *
 * @param statement that which denies or else allows; empty if there is none, or no single one
 * @param isOfAlias whether it is about the key that some backends take the named one for
 */
public record AccessDecision(Reason reason, Optional<PolicyStatement> statement, boolean isOfAlias) {
    static final AccessDecision ALLOWED = new AccessDecision(Reason.ALLOWED, Optional.empty(), false);
    static final AccessDecision NOT_ALLOWED = new AccessDecision(Reason.NOT_ALLOWED, Optional.empty(), false);

    /** The reasons, the strictest last. */
    public enum Reason {
        /** A statement allows it, and none denies it. */
        ALLOWED,
        /** No statement allows all of it, or one denies a part. */
        NOT_ALLOWED,
        /** A statement denies all of it, whatever others allow. */
        DENIED_BY_STATEMENT
    }

    /** Returns the decision by a statement, or by the absence of any. */
    static AccessDecision by(@Nullable PolicyStatement statement) {
        return statement == null
                ? NOT_ALLOWED
                : new AccessDecision(
                        statement.allows() ? Reason.ALLOWED : Reason.DENIED_BY_STATEMENT,
                        Optional.of(statement),
                        false);
    }

    /** Returns the stricter of both, this one if they are alike. */
    AccessDecision and(AccessDecision other) {
        return other.reason.compareTo(reason) > 0 ? other : this;
    }

    AccessDecision ofAlias() {
        return new AccessDecision(reason, statement, true);
    }

    public boolean isAllowed() {
        return reason == Reason.ALLOWED;
    }

    /** Returns whether a statement denies it, even if others allow it; false if just nothing allows it. */
    public boolean isDeniedByStatement() {
        return reason == Reason.DENIED_BY_STATEMENT;
    }
}
