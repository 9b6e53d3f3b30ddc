package io.millrace.auth.policy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.config.problem.InvalidValueException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The statements of a bucket's policy: what it allows and denies to principals, besides their own policies. An
 * {@link Authorizer} evaluates them. Immutable.
 */
public record BucketPolicy(List<PolicyStatement> statements) {
    /** The policy that allows nothing and denies nothing. */
    public static final BucketPolicy NONE = new BucketPolicy(List.of());

    public BucketPolicy {
        statements = List.copyOf(statements);
    }

    /**
     * Reads a policy from a file in AWS's JSON. Blocks.
     *
     * @throws InvalidValueException if the file cannot be read or has anything that is not supported, with its place
     */
    public static BucketPolicy read(Path file) throws InvalidValueException {
        return new BucketPolicy(PolicyReader.read(file, true));
    }

    /** Returns a policy that grants everyone these rights on all of its bucket. */
    public static BucketPolicy granting(Set<Right> rights) {
        EnumSet<PolicyAction> actions = EnumSet.noneOf(PolicyAction.class);
        rights.forEach(right -> actions.addAll(right.actions()));
        return actions.isEmpty()
                ? NONE
                : new BucketPolicy(List.of(PolicyStatement.allow("anonymous", actions, StatementResources.ALL)));
    }

    /** Returns a policy with the statements of both. */
    public BucketPolicy and(BucketPolicy other) {
        List<PolicyStatement> all = new ArrayList<>(statements);
        all.addAll(other.statements);
        return new BucketPolicy(all);
    }

    /** Returns the names of the session tags that it compares or has variables for. */
    public Set<String> tags() {
        return PolicyStatement.tags(statements);
    }

    /** Returns the identities that the policy names. */
    public Set<String> identities() {
        Set<String> names = new TreeSet<>();
        statements.forEach(statement -> names.addAll(statement.principals().names()));
        return names;
    }

    /** Returns the name of a statement that is about nothing in this bucket; empty if there is none. */
    public Optional<String> statementBeside(BucketName bucket) {
        return statements.stream()
                .filter(statement -> !statement.touches(bucket))
                .map(PolicyStatement::name)
                .findFirst();
    }
}
