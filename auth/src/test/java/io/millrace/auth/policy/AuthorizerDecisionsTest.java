package io.millrace.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the decisions of {@link Authorizer} with {@code decisions.txt}. It has the statements of an identity, of its
 * session's policy and of the bucket's policy, and below them a row a scope, with a letter for each of {@link
 * #ACTIONS}. A is allowed; D is denied by a statement, where callers distinguish that.
 */
class AuthorizerDecisionsTest {
    private static final BucketName DATA = new BucketName("data");

    private static final List<PolicyAction> ACTIONS = List.of(
            PolicyAction.GET_OBJECT,
            PolicyAction.GET_OBJECT_VERSION,
            PolicyAction.PUT_OBJECT,
            PolicyAction.LIST_BUCKET,
            PolicyAction.LIST_BUCKET_VERSIONS,
            PolicyAction.GET_BUCKET_TAGGING,
            PolicyAction.LIST_ALL_MY_BUCKETS,
            PolicyAction.VIEW,
            PolicyAction.OPERATE,
            PolicyAction.ADMINISTER);

    private interface Question {
        boolean isAnsweredYes(Authorizer authorizer, Principal who, PolicyAction action);
    }

    private record Row(String name, Question allows, Question denies) {
        static Row of(String name, Question allows) {
            return new Row(name, allows, (authorizer, who, action) -> false);
        }

        static Row resource(String name, Optional<ObjectKey> key) {
            return new Row(
                    name,
                    (authorizer, who, action) -> authorizer.allows(who, action, DATA, key),
                    (authorizer, who, action) -> authorizer.denies(who, action, DATA, key));
        }
    }

    private static final List<Row> ROWS = List.of(
            Row.resource("bucket", Optional.empty()),
            Row.resource("a/k", key("a/k")),
            Row.resource("b/k", key("b/k")),
            Row.resource("b/../a/k", key("b/../a/k")),
            Row.resource("a//k", key("a//k")),
            Row.resource("..", key("..")),
            Row.of(
                    "bucket, prefix a/",
                    (authorizer, who, action) -> authorizer.allows(who, action, DATA, Optional.empty(), prefix("a/"))),
            Row.of(
                    "a/k, version v1 named",
                    (authorizer, who, action) -> authorizer.allows(who, action, DATA, key("a/k"), version("v1"))),
            Row.of(
                    "a/k, current",
                    (authorizer, who, action) ->
                            authorizer.allowsOnVersion(who, action, DATA, key("a/k"), RequestParameters.NONE)),
            Row.of(
                    "a/k, version v1",
                    (authorizer, who, action) ->
                            authorizer.allowsOnVersion(who, action, DATA, key("a/k"), version("v1"))),
            Row.of(
                    "a/k, version null",
                    (authorizer, who, action) ->
                            authorizer.allowsOnVersion(who, action, DATA, key("a/k"), version("null"))),
            Row.of("listing", (authorizer, who, action) -> authorizer.allowsListing(who, action, DATA, prefix(""))),
            Row.of(
                    "listing a/",
                    (authorizer, who, action) -> authorizer.allowsListing(who, action, DATA, prefix("a/"))),
            Row.of(
                    "listing a/../b/",
                    (authorizer, who, action) -> authorizer.allowsListing(who, action, DATA, prefix("a/../b/"))),
            Row.of("all keys", (authorizer, who, action) -> authorizer.allowsBelow(who, action, DATA, "")),
            Row.of("all keys of a/", (authorizer, who, action) -> authorizer.allowsBelow(who, action, DATA, "a/")),
            Row.of(
                    "all keys of a/../b/",
                    (authorizer, who, action) -> authorizer.allowsBelow(who, action, DATA, "a/../b/")),
            Row.of("any key", (authorizer, who, action) -> authorizer.allowsSomewhere(who, action, DATA)),
            Row.of("undenied bucket", (authorizer, who, action) -> authorizer.allowsThroughout(who, action, DATA)),
            Row.of(
                    "undenied a/k",
                    (authorizer, who, action) ->
                            authorizer.allows(who, action, DATA, key("a/k")) && !authorizer.mayDeny(who, DATA)),
            new Row(
                    "all buckets",
                    (authorizer, who, action) -> authorizer.allowsEverywhere(who, action),
                    (authorizer, who, action) -> authorizer.deniesEverywhere(who, action)));

    @Test
    void decisionsAreThoseOfTheTable() throws Exception {
        List<String> table = table();
        List<String> decided = new ArrayList<>();
        for (String line : table) {
            if (!line.startsWith(" ")) {
                decided.add(line);
                decide(line, decided);
            }
        }

        assertThat(decided).hasSizeGreaterThan(700).containsExactlyElementsOf(table);
    }

    private static void decide(String line, List<String> decided) throws Exception {
        String[] policies = line.split(" *\\| *", -1);
        Principal who = principal(policies[1], policies[2]);
        BucketPolicy ofBucket = new BucketPolicy(parse(policies[3], true));
        Authorizer authorizer = new Authorizer(bucket -> bucket.equals(DATA) ? ofBucket : BucketPolicy.NONE);
        for (Row row : ROWS) {
            String letters = ACTIONS.stream()
                    .map(action -> letter(authorizer, who, row, action))
                    .collect(Collectors.joining());
            decided.add("  %-22s %s".formatted(row.name(), letters));
        }
        decided.add("  rights on the bucket   " + rights(authorizer, who, Optional.empty()));
        decided.add("  rights on a/k          " + rights(authorizer, who, key("a/k")));
        decided.add("  sees the bucket        " + (authorizer.seesBucket(who, DATA) ? "A" : "-"));
    }

    private static String letter(Authorizer authorizer, Principal who, Row row, PolicyAction action) {
        boolean isAllowed = row.allows().isAnsweredYes(authorizer, who, action);
        return isAllowed ? "A" : row.denies().isAnsweredYes(authorizer, who, action) ? "D" : "-";
    }

    private static String rights(Authorizer authorizer, Principal who, Optional<ObjectKey> key) {
        return Stream.of(Right.values())
                .map(right -> authorizer.allowsAll(who, right, DATA, key) ? "A" : "-")
                .collect(Collectors.joining());
    }

    private static List<String> table() throws IOException {
        try (var in = AuthorizerDecisionsTest.class.getResourceAsStream("decisions.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private static Optional<ObjectKey> key(String key) {
        return Optional.of(new ObjectKey(key));
    }

    private static RequestParameters prefix(String prefix) {
        return RequestParameters.NONE.withPrefix(prefix);
    }

    private static RequestParameters version(String id) {
        return RequestParameters.ofVersion(Optional.of(id));
    }

    private static Principal principal(String statements, String limit) throws Exception {
        IdentityPolicy policy = new IdentityPolicy(parse(statements, false));
        Principal identity = new Principal("a", List.of(), List.of(policy));
        return limit.isEmpty()
                ? identity
                : Principal.ofSession("reader", "pod", Map.of(), List.of(), List.of(policy))
                        .limitedTo(new IdentityPolicy(parse(limit, false)));
    }

    private static List<PolicyStatement> parse(String statements, boolean ofBucket) throws Exception {
        if (statements.isEmpty()) {
            return List.of();
        }
        String json = statements
                .replace("ALLOW", "'Effect': 'Allow'")
                .replace("DENY", "'Effect': 'Deny'")
                .replace("ALL", "'Action': '*', 'Resource': '*'");
        return PolicyReader.parse(
                "{ 'Version': '2012-10-17', 'Statement': [ %s ] }"
                        .formatted(json)
                        .replace('\'', '"')
                        .getBytes(StandardCharsets.UTF_8),
                "test.json",
                ofBucket);
    }
}
