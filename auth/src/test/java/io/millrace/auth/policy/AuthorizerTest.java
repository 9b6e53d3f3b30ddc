package io.millrace.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that anything without an allowing rule is denied, and that a listing shows no key its reader may not know. */
class AuthorizerTest {
    private static final BucketName IMAGENET = new BucketName("imagenet");
    private static final BucketName OPEN = new BucketName("open-data");
    private static final Map<BucketName, Set<Right>> ANONYMOUS = Map.of(OPEN, Set.of(Right.READ));

    private final Authorizer authorizer =
            new Authorizer(bucket -> BucketPolicy.granting(ANONYMOUS.getOrDefault(bucket, Set.of())));

    @Test
    void withoutARuleNothingIsAllowed() {
        Principal nobody = who();

        for (Right right : Right.values()) {
            assertThat(allows(nobody, right.action(), AccessScope.object(IMAGENET, key("a"))))
                    .isFalse();
            assertThat(allows(Principal.ANONYMOUS, right.action(), AccessScope.object(IMAGENET, key("a"))))
                    .isFalse();
        }
        assertThat(allows(nobody, PolicyAction.LIST_BUCKET, AccessScope.listing(IMAGENET, "")))
                .isFalse();
        assertThat(authorizer.seesBucket(nobody, IMAGENET)).isFalse();
    }

    @Test
    void anyOneRuleIsEnough() {
        Principal who = who("list:imagenet", "read:imagenet/val/*", "read:imagenet/train/*");

        assertThat(allows(who, Right.READ.action(), AccessScope.object(IMAGENET, key("train/a"))))
                .isTrue();
        assertThat(allows(who, Right.READ.action(), AccessScope.object(IMAGENET, key("test/a"))))
                .isFalse();
        assertThat(allows(who, Right.WRITE.action(), AccessScope.object(IMAGENET, key("train/a"))))
                .isFalse();
    }

    @Test
    void readDoesNotIncludeList() {
        Principal who = who("read:imagenet");

        assertThat(allows(who, Right.LIST.action(), AccessScope.bucket(IMAGENET)))
                .isFalse();
        assertThat(allows(who, PolicyAction.LIST_BUCKET, AccessScope.listing(IMAGENET, "")))
                .isFalse();
    }

    @Test
    void signedRequestsHaveAnonymousRightsToo() {
        assertThat(allows(Principal.ANONYMOUS, Right.READ.action(), AccessScope.object(OPEN, key("a"))))
                .isTrue();
        assertThat(allows(who("read:imagenet"), Right.READ.action(), AccessScope.object(OPEN, key("a"))))
                .isTrue();
        assertThat(allows(Principal.ANONYMOUS, Right.WRITE.action(), AccessScope.object(OPEN, key("a"))))
                .isFalse();
        assertThat(allows(Principal.ANONYMOUS, PolicyAction.LIST_BUCKET, AccessScope.listing(OPEN, "")))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "list:imagenet/train/*, train/, true",
        "list:imagenet/train/*, train/n01/, true",
        "list:imagenet/train/*, train, false",
        "list:imagenet/train/*, '', false",
        "list:imagenet/train/*, val/, false",
        "list:imagenet/*.jpg, a.jpg, false",
        "list:imagenet, '', true",
        "list:*, anything, true",
        "*, '', true",
        "list:other, '', false"
    })
    void listingNeedsOneRuleThatCoversThePrefix(String rule, String prefix, boolean expected) {
        assertThat(allows(who(rule), PolicyAction.LIST_BUCKET, AccessScope.listing(IMAGENET, prefix)))
                .isEqualTo(expected);
    }

    /** Some backends treat keys as paths. */
    @ParameterizedTest
    @CsvSource({
        "read:imagenet/pub/*, pub/../secret/f, false",
        "read:imagenet/pub/*, pub/./../secret/f, false",
        "read:imagenet/pub/*, pub/.., false",
        "read:imagenet/pub/*, pub/../pub/f, true",
        "read:imagenet/pub/*, pub/./f, true",
        "read:imagenet/pub/*, pub/..f, true",
        "read:imagenet/pub/*, pub//f/, true",
        "read:imagenet/*/pub/*, /pub/f, false",
        "read:imagenet/a//*, a//f, false",
        "read:imagenet/a/*, a//f, true",
        "read:imagenet, a/../../b, true",
        "read:imagenet, .., true"
    })
    void dotSegmentsMustBeAllowedAfterNormalizationToo(String rule, String named, boolean expected) {
        assertThat(allows(who(rule), Right.READ.action(), AccessScope.object(IMAGENET, key(named))))
                .isEqualTo(expected);
    }

    @Test
    void listingIsDeniedIfOnlyTwoRulesCoverIt() {
        assertThat(allows(
                        who("list:imagenet/a*", "list:imagenet/b*"),
                        PolicyAction.LIST_BUCKET,
                        AccessScope.listing(IMAGENET, "")))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "*, true",
        "admin:*, true",
        "'read,admin:*/*', true",
        "read:*, false",
        "admin:imagenet, false",
        "admin:image*, false",
        "admin:*/train/*, false",
        "admin:*/?*, false"
    })
    void everywhereIsEveryKeyOfEveryBucket(String rule, boolean expected) {
        assertThat(allows(who(rule), Right.ADMIN.action(), AccessScope.ALL_BUCKETS))
                .isEqualTo(expected);
    }

    @Test
    void anyRightInABucketMakesItVisible() {
        assertThat(authorizer.seesBucket(who("write:imagenet/one/key"), IMAGENET))
                .isTrue();
        assertThat(authorizer.seesBucket(who("write:other"), IMAGENET)).isFalse();
        assertThat(authorizer.seesBucket(Principal.ANONYMOUS, OPEN)).isTrue();
        assertThat(authorizer.seesBucket(Principal.ANONYMOUS, IMAGENET)).isFalse();
    }

    private boolean allows(Principal who, PolicyAction action, AccessScope scope) {
        return authorizer.decide(who, action, scope).isAllowed();
    }

    private static ObjectKey key(String key) {
        return new ObjectKey(key);
    }

    private static Principal who(String... rules) {
        return new Principal("who", Arrays.stream(rules).map(AllowRule::parse).toList());
    }
}
