package io.millrace.auth.policy;

import static io.millrace.auth.policy.ShortStatements.parse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.config.problem.InvalidValueException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that a session policy narrows whatever is asked of the session's rights, and never widens them. */
class SessionPolicyTest {
    private static final BucketName BUCKET = new BucketName("data");
    private static final String READ_A =
            "{ 'Effect': 'Allow', 'Action': ['s3:GetObject', 's3:ListBucket'], 'Resource': ['arn:aws:s3:::data',"
                    + " 'arn:aws:s3:::data/a/*'] }";
    private static final String ALL = "{ ALLOW, ALL }";

    private final Authorizer authorizer = new Authorizer(bucket -> BucketPolicy.NONE);

    @Test
    void bothMustAllow() throws Exception {
        Principal session = session("*", READ_A);
        assertThat(allows(session, PolicyAction.GET_OBJECT, "a/k")).isTrue();
        assertThat(allows(session, PolicyAction.GET_OBJECT, "b/k")).isFalse();
        assertThat(allows(session, PolicyAction.GET_OBJECT, "a/../b/k")).isFalse();
        assertThat(allows(session, PolicyAction.PUT_OBJECT, "a/k")).isFalse();
        assertThat(allows(session, PolicyAction.LIST_BUCKET, AccessScope.listing(BUCKET, "")))
                .isTrue();
        assertThat(allows(session, PolicyAction.LIST_BUCKET, AccessScope.listing(new BucketName("other"), "")))
                .isFalse();
        assertThat(allows(session, PolicyAction.GET_OBJECT, new AccessScope.KeysBelow(BUCKET, "a/")))
                .isTrue();
        assertThat(allows(session, PolicyAction.GET_OBJECT, new AccessScope.KeysBelow(BUCKET, "")))
                .isFalse();
        assertThat(allows(session, PolicyAction.GET_OBJECT, new AccessScope.Somewhere(BUCKET)))
                .isTrue();
        assertThat(allows(session, PolicyAction.PUT_OBJECT, new AccessScope.Somewhere(BUCKET)))
                .isFalse();
        assertThat(authorizer.seesBucket(session, new BucketName("other"))).isFalse();
        assertThat(allows(session, PolicyAction.ADMINISTER, AccessScope.ALL_BUCKETS))
                .isFalse();
        assertThat(authorizer
                        .decide(session, PolicyAction.GET_OBJECT, AccessScope.object(BUCKET, new ObjectKey("a/k")))
                        .isDeniedByStatement())
                .isFalse();
        assertThat(allows(session, PolicyAction.LIST_BUCKET, AccessScope.bucket(BUCKET)))
                .isTrue();
        assertThat(allows(session, PolicyAction.LIST_BUCKET, new AccessScope.Undenied(AccessScope.bucket(BUCKET))))
                .as("a session policy may deny anything")
                .isFalse();
        assertThat(authorizer
                        .decide(session, PolicyAction.GET_OBJECT, AccessScope.object(BUCKET, new ObjectKey("b/k")))
                        .statement())
                .isEmpty();
    }

    @Test
    void neverAddsRights() throws Exception {
        Principal session = session("read:data/a/*", ALL);
        assertThat(allows(session, PolicyAction.GET_OBJECT, "a/k")).isTrue();
        assertThat(allows(session, PolicyAction.GET_OBJECT, "b/k")).isFalse();
        assertThat(allows(session, PolicyAction.PUT_OBJECT, "a/k")).isFalse();
        assertThat(allows(session, PolicyAction.LIST_BUCKET, AccessScope.listing(BUCKET, "")))
                .isFalse();
        assertThat(allows(session, PolicyAction.GET_OBJECT, new AccessScope.KeysBelow(BUCKET, "")))
                .isFalse();
        assertThat(allows(session, PolicyAction.ADMINISTER, AccessScope.ALL_BUCKETS))
                .isFalse();
    }

    @Test
    void deniesAndBindsBucketPoliciesToo() throws Exception {
        Principal session = session("*", ALL + ", " + READ_A.replace("Allow", "Deny"));
        assertThat(allows(session, PolicyAction.GET_OBJECT, "a/k")).isFalse();
        assertThat(allows(session, PolicyAction.GET_OBJECT, "b/k")).isTrue();
        assertThat(authorizer
                        .decide(session, PolicyAction.GET_OBJECT, AccessScope.object(BUCKET, new ObjectKey("a/k")))
                        .isDeniedByStatement())
                .isTrue();
        assertThat(authorizer
                        .decide(session, PolicyAction.GET_OBJECT, AccessScope.object(BUCKET, new ObjectKey("b/k")))
                        .isDeniedByStatement())
                .isFalse();
        BucketPolicy open = new BucketPolicy(parse("{ ALLOW, 'Principal': '*', ALL }", true));
        assertThat(new Authorizer(bucket -> open)
                        .decide(
                                session("read:x", READ_A),
                                PolicyAction.GET_OBJECT,
                                AccessScope.object(BUCKET, new ObjectKey("b/k")))
                        .isAllowed())
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
        return allows(who, action, AccessScope.object(BUCKET, new ObjectKey(key)));
    }

    private boolean allows(Principal who, PolicyAction action, AccessScope scope) {
        return authorizer.decide(who, action, scope).isAllowed();
    }

    private static Principal session(String rule, String statements) throws Exception {
        return Principal.ofSession("reader", "pod", Map.of(), List.of(AllowRule.parse(rule)), List.of())
                .limitedTo(IdentityPolicy.ofSession(ShortStatements.policy(statements)));
    }
}
