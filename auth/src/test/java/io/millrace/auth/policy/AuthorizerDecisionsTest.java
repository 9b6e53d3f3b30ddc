package io.millrace.auth.policy;

import static io.millrace.auth.policy.ShortStatements.parse;
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
    private static final AccessScope.Resource BUCKET = AccessScope.bucket(DATA);

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

    private record Row(String name, AccessScope scope, boolean distinguishesDenials) {
        static Row of(String name, AccessScope scope) {
            return new Row(name, scope, false);
        }

        static Row resource(String key) {
            return new Row(key, object(key), true);
        }
    }

    private static final List<Row> ROWS = List.of(
            new Row("bucket", BUCKET, true),
            Row.resource("a/k"),
            Row.resource("b/k"),
            Row.resource("b/../a/k"),
            Row.resource("a//k"),
            Row.resource(".."),
            Row.of("bucket, prefix a/", BUCKET.with(RequestParameters.NONE.withPrefix("a/"))),
            Row.of("a/k, version v1 named", version("v1")),
            Row.of("a/k, current", new AccessScope.Version(object("a/k"))),
            Row.of("a/k, version v1", new AccessScope.Version(version("v1"))),
            Row.of("a/k, version null", new AccessScope.Version(version("null"))),
            Row.of("listing", AccessScope.listing(DATA, "")),
            Row.of("listing a/", AccessScope.listing(DATA, "a/")),
            Row.of("listing a/../b/", AccessScope.listing(DATA, "a/../b/")),
            Row.of("all keys", new AccessScope.KeysBelow(DATA, "")),
            Row.of("all keys of a/", new AccessScope.KeysBelow(DATA, "a/")),
            Row.of("all keys of a/../b/", new AccessScope.KeysBelow(DATA, "a/../b/")),
            Row.of("any key", new AccessScope.Somewhere(DATA)),
            Row.of("undenied bucket", new AccessScope.Undenied(BUCKET)),
            Row.of("undenied a/k", new AccessScope.Undenied(object("a/k"))),
            new Row("all buckets", AccessScope.ALL_BUCKETS, true));

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
        decided.add("  rights on the bucket   " + rights(authorizer, who, BUCKET));
        decided.add("  rights on a/k          " + rights(authorizer, who, object("a/k")));
        decided.add("  sees the bucket        " + (authorizer.seesBucket(who, DATA) ? "A" : "-"));
    }

    private static String letter(Authorizer authorizer, Principal who, Row row, PolicyAction action) {
        AccessDecision decision = authorizer.decide(who, action, row.scope());
        boolean isDenied = row.distinguishesDenials() && decision.isDeniedByStatement();
        return decision.isAllowed() ? "A" : isDenied ? "D" : "-";
    }

    private static String rights(Authorizer authorizer, Principal who, AccessScope.Resource resource) {
        return Stream.of(Right.values())
                .map(right -> authorizer.decide(who, right, resource).isAllowed() ? "A" : "-")
                .collect(Collectors.joining());
    }

    private static List<String> table() throws IOException {
        try (var in = AuthorizerDecisionsTest.class.getResourceAsStream("decisions.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private static AccessScope.Resource object(String key) {
        return AccessScope.object(DATA, new ObjectKey(key));
    }

    private static AccessScope.Resource version(String id) {
        return object("a/k").with(RequestParameters.ofVersion(Optional.of(id)));
    }

    private static Principal principal(String statements, String limit) throws Exception {
        IdentityPolicy policy = new IdentityPolicy(parse(statements, false));
        Principal identity = new Principal("a", List.of(), List.of(policy));
        return limit.isEmpty()
                ? identity
                : Principal.ofSession("reader", "pod", Map.of(), List.of(), List.of(policy))
                        .limitedTo(new IdentityPolicy(parse(limit, false)));
    }
}
