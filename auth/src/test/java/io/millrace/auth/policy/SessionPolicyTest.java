package io.millrace.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.config.problem.InvalidValueException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that a session policy narrows whatever is asked of the session's rights, and never widens them. */
class SessionPolicyTest {
    private static final BucketName BUCKET = new BucketName("data");
    private static final String READ_A =
            "{ 'Effect': 'Allow', 'Action': ['s3:GetObject', 's3:ListBucket'], 'Resource': ['arn:aws:s3:::data',"
                    + " 'arn:aws:s3:::data/a/*'] }";
    private static final String ALL = "{ 'Effect': 'Allow', 'Action': '*', 'Resource': '*' }";

    private final Authorizer authorizer = new Authorizer(bucket -> BucketPolicy.NONE);

    @Test
    void bothMustAllow() throws Exception {
        Principal session = session("*", READ_A);
        assertThat(allows(session, PolicyAction.GET_OBJECT, "a/k")).isTrue();
        assertThat(allows(session, PolicyAction.GET_OBJECT, "b/k")).isFalse();
        assertThat(allows(session, PolicyAction.GET_OBJECT, "a/../b/k")).isFalse();
        assertThat(allows(session, PolicyAction.PUT_OBJECT, "a/k")).isFalse();
        assertThat(authorizer.allowsListing(session, BUCKET, "")).isTrue();
        assertThat(authorizer.allowsListing(session, new BucketName("other"), ""))
                .isFalse();
        assertThat(authorizer.allowsBelow(session, PolicyAction.GET_OBJECT, BUCKET, "a/"))
                .isTrue();
        assertThat(authorizer.allowsBelow(session, PolicyAction.GET_OBJECT, BUCKET, ""))
                .isFalse();
        assertThat(authorizer.allowsSomewhere(session, PolicyAction.GET_OBJECT, BUCKET))
                .isTrue();
        assertThat(authorizer.allowsSomewhere(session, PolicyAction.PUT_OBJECT, BUCKET))
                .isFalse();
        assertThat(authorizer.seesBucket(session, new BucketName("other"))).isFalse();
        assertThat(authorizer.allowsEverywhere(session, PolicyAction.ADMINISTER))
                .isFalse();
        assertThat(authorizer.denies(session, PolicyAction.GET_OBJECT, BUCKET, key("a/k")))
                .isFalse();
        assertThat(authorizer.mayDeny(session, BUCKET)).isTrue();
        assertThat(authorizer
                        .explain(session, PolicyAction.GET_OBJECT, BUCKET, key("b/k"), RequestParameters.NONE)
                        .statement())
                .isEmpty();
    }

    @Test
    void neverAddsRights() throws Exception {
        Principal session = session("read:data/a/*", ALL);
        assertThat(allows(session, PolicyAction.GET_OBJECT, "a/k")).isTrue();
        assertThat(allows(session, PolicyAction.GET_OBJECT, "b/k")).isFalse();
        assertThat(allows(session, PolicyAction.PUT_OBJECT, "a/k")).isFalse();
        assertThat(authorizer.allowsListing(session, BUCKET, "")).isFalse();
        assertThat(authorizer.allowsBelow(session, PolicyAction.GET_OBJECT, BUCKET, ""))
                .isFalse();
        assertThat(authorizer.allowsEverywhere(session, PolicyAction.ADMINISTER))
                .isFalse();
    }

    @Test
    void deniesAndBindsBucketPoliciesToo() throws Exception {
        Principal session = session("*", ALL + ", " + READ_A.replace("Allow", "Deny"));
        assertThat(allows(session, PolicyAction.GET_OBJECT, "a/k")).isFalse();
        assertThat(allows(session, PolicyAction.GET_OBJECT, "b/k")).isTrue();
        assertThat(authorizer.denies(session, PolicyAction.GET_OBJECT, BUCKET, key("a/k")))
                .isTrue();
        assertThat(authorizer.denies(session, PolicyAction.GET_OBJECT, BUCKET, key("b/k")))
                .isFalse();
        BucketPolicy open = new BucketPolicy(parse(ALL.replace("'Resource'", "'Principal': '*', 'Resource'"), true));
        assertThat(new Authorizer(bucket -> open)
                        .allows(session("read:x", READ_A), PolicyAction.GET_OBJECT, BUCKET, key("b/k")))
                .isFalse();
    }

    @Test
    void unknownElementsAreRefusedByName() {
        assertThatThrownBy(() -> IdentityPolicy.ofSession("{\"Version\":\"2012-10-17\",\"Statements\":[]}"))
                .isInstanceOfSatisfying(
                        InvalidValueException.class,
                        e -> assertThat(e.description()).contains("Statements"));
    }

    private boolean allows(Principal who, PolicyAction action, String key) {
        return authorizer.allows(who, action, BUCKET, key(key));
    }

    private static Optional<ObjectKey> key(String key) {
        return Optional.of(new ObjectKey(key));
    }

    private static Principal session(String rule, String statements) throws Exception {
        return Principal.ofSession("reader", "pod", Map.of(), List.of(AllowRule.parse(rule)), List.of())
                .limitedTo(IdentityPolicy.ofSession(json(statements)));
    }

    private static List<PolicyStatement> parse(String statements, boolean ofBucket) throws Exception {
        return PolicyReader.parse(json(statements).getBytes(StandardCharsets.UTF_8), "test.json", ofBucket);
    }

    private static String json(String statements) {
        return "{ 'Version': '2012-10-17', 'Statement': [ %s ] }"
                .formatted(statements)
                .replace('\'', '"');
    }
}
