package io.millrace.auth.policy;

import io.millrace.config.problem.InvalidValueException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reader of statements as tests write them: with single quotes, and with ALLOW, DENY and ALL for the elements that most
 * of them have.
 */
final class ShortStatements {
    private ShortStatements() {}

    /** Returns the statements as the reader of policy files has them; empty for none. */
    static List<PolicyStatement> parse(String statements, boolean ofBucket) throws InvalidValueException {
        return statements.isEmpty()
                ? List.of()
                : PolicyReader.parse(policy(statements).getBytes(StandardCharsets.UTF_8), "test.json", ofBucket);
    }

    /** Returns the policy of these statements as JSON. */
    static String policy(String statements) {
        String elements = statements
                .replace("ALLOW", "'Effect': 'Allow'")
                .replace("DENY", "'Effect': 'Deny'")
                .replace("ALL", "'Action': '*', 'Resource': '*'");
        return "{ 'Version': '2012-10-17', 'Statement': [ %s ] }"
                .formatted(elements)
                .replace('\'', '"');
    }
}
