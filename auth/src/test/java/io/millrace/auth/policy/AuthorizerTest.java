package io.millrace.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
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
            assertThat(authorizer.allows(nobody, right.action(), IMAGENET, key("a")))
                    .isFalse();
            assertThat(authorizer.allows(Principal.ANONYMOUS, right.action(), IMAGENET, key("a")))
                    .isFalse();
        }
        assertThat(authorizer.allowsListing(nobody, IMAGENET, "")).isFalse();
        assertThat(authorizer.seesBucket(nobody, IMAGENET)).isFalse();
    }

    @Test
    void anyOneRuleIsEnough() {
        Principal who = who("list:imagenet", "read:imagenet/val/*", "read:imagenet/train/*");

        assertThat(authorizer.allows(who, Right.READ.action(), IMAGENET, key("train/a")))
                .isTrue();
        assertThat(authorizer.allows(who, Right.READ.action(), IMAGENET, key("test/a")))
                .isFalse();
        assertThat(authorizer.allows(who, Right.WRITE.action(), IMAGENET, key("train/a")))
                .isFalse();
    }

    @Test
    void readDoesNotIncludeList() {
        Principal who = who("read:imagenet");

        assertThat(authorizer.allows(who, Right.LIST.action(), IMAGENET, Optional.empty()))
                .isFalse();
        assertThat(authorizer.allowsListing(who, IMAGENET, "")).isFalse();
    }

    @Test
    void signedRequestsHaveAnonymousRightsToo() {
        assertThat(authorizer.allows(Principal.ANONYMOUS, Right.READ.action(), OPEN, key("a")))
                .isTrue();
        assertThat(authorizer.allows(who("read:imagenet"), Right.READ.action(), OPEN, key("a")))
                .isTrue();
        assertThat(authorizer.allows(Principal.ANONYMOUS, Right.WRITE.action(), OPEN, key("a")))
                .isFalse();
        assertThat(authorizer.allowsListing(Principal.ANONYMOUS, OPEN, "")).isFalse();
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
        assertThat(authorizer.allowsListing(who(rule), IMAGENET, prefix)).isEqualTo(expected);
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
        assertThat(authorizer.allows(who(rule), Right.READ.action(), IMAGENET, key(named)))
                .isEqualTo(expected);
    }

    @Test
    void listingIsDeniedIfOnlyTwoRulesCoverIt() {
        assertThat(authorizer.allowsListing(who("list:imagenet/a*", "list:imagenet/b*"), IMAGENET, ""))
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
        assertThat(authorizer.allowsEverywhere(who(rule), Right.ADMIN.action())).isEqualTo(expected);
    }

    @Test
    void anyRightInABucketMakesItVisible() {
        assertThat(authorizer.seesBucket(who("write:imagenet/one/key"), IMAGENET))
                .isTrue();
        assertThat(authorizer.seesBucket(who("write:other"), IMAGENET)).isFalse();
        assertThat(authorizer.seesBucket(Principal.ANONYMOUS, OPEN)).isTrue();
        assertThat(authorizer.seesBucket(Principal.ANONYMOUS, IMAGENET)).isFalse();
    }

    private static Optional<ObjectKey> key(String key) {
        return Optional.of(new ObjectKey(key));
    }

    private static Principal who(String... rules) {
        return new Principal("who", Arrays.stream(rules).map(AllowRule::parse).toList());
    }
}
