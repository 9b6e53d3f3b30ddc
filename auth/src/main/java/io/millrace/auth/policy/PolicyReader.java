package io.millrace.auth.policy;

import io.millrace.config.problem.ClosestMatch;
import io.millrace.config.problem.InvalidValueException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a policy in AWS's JSON. It refuses what it does not know, because an ignored element could be a limit, and
 * everything else that could not mean what was written.
 */
final class PolicyReader {
    private static final String VERSION = "2012-10-17";
    private static final Set<String> ELEMENTS = Set.of("Version", "Id", "Statement");
    private static final List<String> STATEMENT_ELEMENTS =
            List.of("Sid", "Effect", "Principal", "Action", "NotAction", "Resource", "NotResource", "Condition");

    private static final Pattern SID = Pattern.compile("[ -~]{1,128}");
    private static final String IF_EXISTS = "IfExists";

    private final String file;
    private final boolean ofBucket;
    private final Set<String> sids = new HashSet<>();

    private PolicyReader(String file, boolean ofBucket) {
        this.file = file;
        this.ofBucket = ofBucket;
    }

    /**
     * Reads the statements of a policy. Blocks.
     *
     * @param ofBucket whether it is the policy of a bucket, which names principals, or of an identity
     */
    static List<PolicyStatement> read(Path file, boolean ofBucket) throws InvalidValueException {
        return parse(bytes(file), String.valueOf(file.getFileName()), ofBucket);
    }

    /** Parses the statements of a policy. */
    static List<PolicyStatement> parse(byte[] document, String file, boolean ofBucket) throws InvalidValueException {
        return new PolicyReader(file, ofBucket).policy(PolicyNode.parse(document));
    }

    private static byte[] bytes(Path file) throws InvalidValueException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new InvalidValueException("is not a plain file", "give the path of a file with a policy in JSON");
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(PolicyNode.LARGEST + 1);
            if (bytes.length > PolicyNode.LARGEST) {
                throw new InvalidValueException(
                        "the file is larger than 20 KiB", "split the policy; an identity may have several");
            }
            return bytes;
        } catch (NoSuchFileException e) {
            throw new InvalidValueException("there is no such file", "give the path of a file with a policy in JSON");
        } catch (IOException e) {
            throw new InvalidValueException("the file cannot be read", "check its path and permissions");
        }
    }

    private List<PolicyStatement> policy(PolicyNode root) throws InvalidValueException {
        requireObject(root, "{ \"Version\": \"" + VERSION + "\", \"Statement\": [ ... ] }");
        requireKnown(root, ELEMENTS);
        PolicyNode version = root.members().get("Version");
        if (version == null || !version.string().equals(VERSION)) {
            throw (version == null ? root : version)
                    .problem(
                            "is not of version " + VERSION + ", in which variables have a meaning",
                            "write \"Version\": \"" + VERSION + "\"");
        }
        PolicyNode statements = root.members().get("Statement");
        if (statements == null) {
            throw root.problem("has no Statement", "add a Statement, or leave the file out");
        }
        List<PolicyNode> nodes = statements.isObject() ? List.of(statements) : statements.elements();
        if (nodes.isEmpty()) {
            throw statements.problem("is no statement, nor a list of some", "write at least one statement");
        }
        List<PolicyStatement> compiled = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            compiled.add(statement(nodes.get(i), i + 1));
        }
        return compiled;
    }

    private PolicyStatement statement(PolicyNode node, int number) throws InvalidValueException {
        requireObject(node, "a statement, as { \"Effect\": \"Allow\", \"Action\": ..., \"Resource\": ... }");
        PolicyNode others = node.members().get("NotPrincipal");
        if (others != null) {
            throw others.problem(
                    "is not supported",
                    "write \"Principal\": \"*\" and a Condition with StringNotEquals on aws:username");
        }
        requireKnown(node, STATEMENT_ELEMENTS);
        boolean allows = allows(required(node, "Effect"));
        return new PolicyStatement(
                name(node, number),
                allows,
                principals(node),
                actions(node, allows),
                resources(node),
                conditions(node.members().get("Condition")),
                Optional.of(text(node)));
    }

    /** Returns what a node has that is a statement. */
    private static StatementText text(PolicyNode node) throws InvalidValueException {
        PolicyNode principal = node.members().get("Principal");
        return new StatementText(
                principal != null && principal.isObject() ? strings(principal, "AWS") : strings(node, "Principal"),
                strings(node, "Action"),
                strings(node, "NotAction"),
                strings(node, "Resource"),
                strings(node, "NotResource"));
    }

    private static List<String> strings(PolicyNode node, String element) throws InvalidValueException {
        PolicyNode found = node.members().get(element);
        return found == null ? List.of() : found.strings();
    }

    /** Returns the file with the statement's number, and its id if it has one. */
    private String name(PolicyNode node, int number) throws InvalidValueException {
        PolicyNode sid = node.members().get("Sid");
        if (sid == null) {
            return "%s, statement %d".formatted(file, number);
        }
        if (!SID.matcher(sid.string()).matches()) {
            throw sid.problem("is no id", "write 1 to 128 printable ASCII characters");
        }
        if (!sids.add(sid.string())) {
            throw sid.problem("is the id of an earlier statement", "give each statement its own Sid");
        }
        return "%s, statement %d (%s)".formatted(file, number, sid.string());
    }

    private static boolean allows(PolicyNode effect) throws InvalidValueException {
        return switch (effect.string()) {
            case "Allow" -> true;
            case "Deny" -> false;
            default -> throw effect.problem("is \"" + effect.text() + "\"", "write Allow or Deny");
        };
    }

    private StatementPrincipals principals(PolicyNode node) throws InvalidValueException {
        PolicyNode principal = node.members().get("Principal");
        if (!ofBucket) {
            if (principal != null) {
                throw principal.problem(
                        "belongs into the policy of a bucket; this one concerns the identities that have it",
                        "leave it out");
            }
            return StatementPrincipals.EVERYONE;
        }
        if (principal == null) {
            throw node.problem("has no Principal", "add whom it concerns, as \"Principal\": \"*\"");
        }
        PolicyNode names = principal;
        if (principal.isObject()) {
            requireKnown(principal, Set.of("AWS"));
            names = required(principal, "AWS");
        } else if (!principal.string().equals("*")) {
            throw principal.problem("is \"" + principal.text() + "\"", "write \"*\" or { \"AWS\": [ ... ] }");
        }
        List<String> identities = names.strings();
        try {
            return StatementPrincipals.of(identities);
        } catch (InvalidValueException e) {
            throw names.problem(e.description(), e.remedy());
        }
    }

    private static Set<PolicyAction> actions(PolicyNode node, boolean allows) throws InvalidValueException {
        PolicyNode written = oneOf(node, "Action", "NotAction");
        EnumSet<PolicyAction> actions = EnumSet.noneOf(PolicyAction.class);
        for (String pattern : written.strings()) {
            Set<PolicyAction> matching = PolicyAction.matching(pattern);
            if (matching.isEmpty()) {
                throw written.problem(
                        "has \"" + pattern + "\", which is no action that Millrace has",
                        suggestion(pattern, PolicyAction.names(), "leave it out, or write an action as s3:GetObject"));
            }
            actions.addAll(matching);
        }
        boolean isNegated = node.members().containsKey("NotAction");
        if (allows == isNegated) {
            PolicyAction.addDependent(actions);
        } else {
            PolicyAction.addIncluded(actions);
        }
        if (!isNegated) {
            return actions;
        }
        if (actions.size() == PolicyAction.values().length) {
            throw written.problem("leaves no action", "write the actions that are not meant, or use Action");
        }
        return EnumSet.complementOf(actions);
    }

    private static ResourcePatterns resources(PolicyNode node) throws InvalidValueException {
        PolicyNode written = oneOf(node, "Resource", "NotResource");
        List<String> arns = written.strings();
        try {
            return ResourcePatterns.of(arns, node.members().containsKey("NotResource"));
        } catch (InvalidValueException e) {
            throw written.problem(e.description(), e.remedy());
        }
    }

    private static List<StatementCondition> conditions(@Nullable PolicyNode block) throws InvalidValueException {
        List<StatementCondition> conditions = new ArrayList<>();
        if (block == null) {
            return conditions;
        }
        requireObject(
                block, "operators with keys and values, as { \"IpAddress\": { \"aws:SourceIp\": \"10.0.0.0/8\" } }");
        for (Map.Entry<String, PolicyNode> entry : block.members().entrySet()) {
            PolicyNode keys = entry.getValue();
            boolean ifExists = entry.getKey().endsWith(IF_EXISTS);
            ConditionOperator operator = operator(keys, entry.getKey(), ifExists);
            requireObject(keys, "keys with values, as { \"aws:SourceIp\": \"10.0.0.0/8\" }");
            Set<String> seen = new HashSet<>();
            for (Map.Entry<String, PolicyNode> pair : keys.members().entrySet()) {
                StatementCondition condition = condition(operator, ifExists, pair.getKey(), pair.getValue());
                if (!seen.add(condition.key().wireName() + condition.tag().toLowerCase(Locale.ROOT))) {
                    throw pair.getValue().problem("is there twice, in another case", "write the key once");
                }
                conditions.add(condition);
            }
            if (seen.isEmpty()) {
                throw keys.problem("compares nothing", "write a key with values, or leave the operator out");
            }
        }
        return conditions;
    }

    private static ConditionOperator operator(PolicyNode place, String written, boolean ifExists)
            throws InvalidValueException {
        if (written.indexOf(':') >= 0) {
            throw place.problem(
                    "is an operator for keys with several values, and no key here has several",
                    "write " + written.substring(written.indexOf(':') + 1));
        }
        String name = ifExists ? written.substring(0, written.length() - IF_EXISTS.length()) : written;
        ConditionOperator operator = ConditionOperator.named(name).orElse(null);
        if (operator == null) {
            throw place.problem(
                    "is no operator that Millrace has",
                    suggestion(
                            name,
                            ConditionOperator.names(),
                            "write one of " + String.join(", ", ConditionOperator.names())));
        }
        if (ifExists && operator == ConditionOperator.NULL) {
            throw place.problem("cannot be", "write Null, which itself is about keys that do not exist");
        }
        return operator;
    }

    private static StatementCondition condition(
            ConditionOperator operator, boolean ifExists, String name, PolicyNode written)
            throws InvalidValueException {
        ConditionKey key = ConditionKey.named(name).orElse(null);
        if (key == null) {
            throw written.problem(
                    "is no key that Millrace has",
                    suggestion(name, ConditionKey.names(), "write one of " + String.join(", ", ConditionKey.names())));
        }
        if (!operator.compares(key)) {
            throw written.problem(
                    "cannot be compared so",
                    "use an operator for " + key.kind().name().toLowerCase(Locale.ROOT) + " values");
        }
        List<PolicyText> values = new ArrayList<>();
        for (String value : written.scalars()) {
            try {
                values.add(operator.parse(value));
            } catch (InvalidValueException e) {
                throw written.problem(e.description(), e.remedy());
            }
        }
        return StatementCondition.of(operator, ifExists, key, key.tag(name), values);
    }

    private static PolicyNode oneOf(PolicyNode node, String element, String negated) throws InvalidValueException {
        PolicyNode plain = node.members().get(element);
        PolicyNode other = node.members().get(negated);
        if (plain != null && other != null) {
            throw other.problem("stands beside " + element, "keep one of the two");
        }
        return other != null ? other : required(node, element);
    }

    private static PolicyNode required(PolicyNode node, String element) throws InvalidValueException {
        PolicyNode found = node.members().get(element);
        if (found == null) {
            throw node.problem("has no " + element, "add it");
        }
        return found;
    }

    private static void requireObject(PolicyNode node, String remedy) throws InvalidValueException {
        if (!node.isObject()) {
            throw node.problem("is not an object", "write " + remedy);
        }
    }

    private static void requireKnown(PolicyNode node, Collection<String> known) throws InvalidValueException {
        for (Map.Entry<String, PolicyNode> member : node.members().entrySet()) {
            if (!known.contains(member.getKey())) {
                throw member.getValue()
                        .problem(
                                "is not an element that Millrace has",
                                suggestion(
                                        member.getKey(),
                                        known,
                                        "leave it out; the elements are "
                                                + String.join(
                                                        ", ",
                                                        known.stream().sorted().toList())));
            }
        }
    }

    private static String suggestion(String written, Collection<String> known, String otherwise) {
        return ClosestMatch.find(written, known).map(match -> "write " + match).orElse(otherwise);
    }
}
