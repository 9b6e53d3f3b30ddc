package io.millrace.auth.policy;

import io.millrace.config.problem.InvalidValueException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** The statements of a policy of identities, from a file in AWS's JSON. An {@link Authorizer} evaluates them. */
public record IdentityPolicy(List<PolicyStatement> statements) {
    public IdentityPolicy {
        statements = List.copyOf(statements);
    }

    /**
     * Reads a policy. Blocks.
     *
     * @throws InvalidValueException if the file cannot be read or has anything that is not supported, with its place
     */
    public static IdentityPolicy read(Path file) throws InvalidValueException {
        return new IdentityPolicy(PolicyReader.read(file, false));
    }

    /** Returns the names of the session tags that it compares or has variables for. */
    public Set<String> tags() {
        return PolicyStatement.tags(statements);
    }

    /**
     * Parses a session policy.
     *
     * @throws InvalidValueException if it has anything that is not supported, with its place
     */
    public static IdentityPolicy ofSession(String document) throws InvalidValueException {
        return new IdentityPolicy(
                PolicyReader.parse(document.getBytes(StandardCharsets.UTF_8), "the session policy", false));
    }
}
