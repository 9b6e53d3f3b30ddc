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
class AccessPolicyTest {
    private static final BucketName IMAGENET = new BucketName("imagenet");
    private static final BucketName OPEN = new BucketName("open-data");
    private static final Map<BucketName, Set<Right>> ANONYMOUS = Map.of(OPEN, Set.of(Right.READ));

    private final AccessPolicy policy = new AccessPolicy(bucket -> ANONYMOUS.getOrDefault(bucket, Set.of()));

    @Test
    void withoutARuleNothingIsAllowed() {
        Principal nobody = who();

        for (Right right : Right.values()) {
            assertThat(policy.allows(nobody, right, IMAGENET, key("a"))).isFalse();
            assertThat(policy.allows(Principal.ANONYMOUS, right, IMAGENET, key("a")))
                    .isFalse();
        }
        assertThat(policy.allowsListing(nobody, IMAGENET, "")).isFalse();
        assertThat(policy.seesBucket(nobody, IMAGENET)).isFalse();
    }

    @Test
    void anyOneRuleIsEnough() {
        Principal who = who("list:imagenet", "read:imagenet/val/*", "read:imagenet/train/*");

        assertThat(policy.allows(who, Right.READ, IMAGENET, key("train/a"))).isTrue();
        assertThat(policy.allows(who, Right.READ, IMAGENET, key("test/a"))).isFalse();
        assertThat(policy.allows(who, Right.WRITE, IMAGENET, key("train/a"))).isFalse();
    }

    @Test
    void readDoesNotIncludeList() {
        Principal who = who("read:imagenet");

        assertThat(policy.allows(who, Right.LIST, IMAGENET, Optional.empty())).isFalse();
        assertThat(policy.allowsListing(who, IMAGENET, "")).isFalse();
    }

    @Test
    void whatAnybodyMayASignedRequestMayToo() {
        assertThat(policy.allows(Principal.ANONYMOUS, Right.READ, OPEN, key("a")))
                .isTrue();
        assertThat(policy.allows(who("read:imagenet"), Right.READ, OPEN, key("a")))
                .isTrue();
        assertThat(policy.allows(Principal.ANONYMOUS, Right.WRITE, OPEN, key("a")))
                .isFalse();
        assertThat(policy.allowsListing(Principal.ANONYMOUS, OPEN, "")).isFalse();
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
    void listingNeedsARuleThatHoldsTheWholeAnswer(String rule, String prefix, boolean expected) {
        assertThat(policy.allowsListing(who(rule), IMAGENET, prefix)).isEqualTo(expected);
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
    void whatADotOrAnEmptyNameLeadsToMustBeAllowedToo(String rule, String named, boolean expected) {
        assertThat(policy.allows(who(rule), Right.READ, IMAGENET, key(named))).isEqualTo(expected);
    }

    @Test
    void twoRulesThatOnlyTogetherHoldTheAnswerAreNotEnough() {
        assertThat(policy.allowsListing(who("list:imagenet/a*", "list:imagenet/b*"), IMAGENET, ""))
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
        assertThat(policy.allowsEverywhere(who(rule), Right.ADMIN)).isEqualTo(expected);
    }

    @Test
    void bucketIsSeenByWhoeverMayDoAnythingInIt() {
        assertThat(policy.seesBucket(who("write:imagenet/one/key"), IMAGENET)).isTrue();
        assertThat(policy.seesBucket(who("write:other"), IMAGENET)).isFalse();
        assertThat(policy.seesBucket(Principal.ANONYMOUS, OPEN)).isTrue();
        assertThat(policy.seesBucket(Principal.ANONYMOUS, IMAGENET)).isFalse();
    }

    private static Optional<ObjectKey> key(String key) {
        return Optional.of(new ObjectKey(key));
    }

    private static Principal who(String... rules) {
        return new Principal("who", Arrays.stream(rules).map(AllowRule::parse).toList());
    }
}
