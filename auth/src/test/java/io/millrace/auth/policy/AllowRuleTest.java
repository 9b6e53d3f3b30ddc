package io.millrace.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests parsing and matching of allow rules. A rule that matches more than intended exposes data unnoticed. */
class AllowRuleTest {
    @ParameterizedTest
    @CsvSource({
        "read:imagenet, READ, imagenet, a/b, true",
        "read:imagenet/*, READ, imagenet, a/b, true",
        "read:imagenet, LIST, imagenet, a/b, false",
        "read:imagenet, READ, imagenet2, a, false",
        "read:imagenet, READ, Imagenet, a, false",
        "'read,list:imagenet/train/*', LIST, imagenet, train/a, true",
        "'read,list:imagenet/train/*', READ, imagenet, val/a, false",
        "' read , list : imagenet/a b ', READ, imagenet, a b, true",
        "READ:imagenet, READ, imagenet, a, true",
        "write:*, WRITE, anything, a, true",
        "write:*, DELETE, anything, a, false",
        "delete:team-*/tmp/?, DELETE, team-a, tmp/x, true",
        "delete:team-*/tmp/?, DELETE, team-a, tmp/xy, false",
        "delete:team-*/tmp/?, DELETE, teams, tmp/x, false",
        "read:b//*, READ, bbb, /x, false",
        "read:bbb//*, READ, bbb, /x, true",
        "read:bbb//*, READ, bbb, x, false",
        "read:bbb/a:b, READ, bbb, a:b, true"
    })
    void ruleMatchesWhatItSays(String rule, Right right, String bucket, String key, boolean expected) {
        assertThat(allows(AllowRule.parse(rule), right, bucket, Optional.of(new ObjectKey(key))))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(Right.class)
    void starAloneIsEverything(Right right) {
        AllowRule rule = AllowRule.parse("*");

        assertThat(allows(rule, right, "any", Optional.of(new ObjectKey("any"))))
                .isTrue();
        assertThat(allows(rule, right, "any", Optional.empty())).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"read:imagenet, true", "read:imagenet/*, true", "read:imagenet/a*, false", "read:imagenet/a, false"})
    void bucketItselfNeedsARuleForAllItsKeys(String rule, boolean expected) {
        assertThat(allows(AllowRule.parse(rule), Right.READ, "imagenet", Optional.empty()))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "'', names no bucket",
        "read, names no bucket",
        "imagenet/*, names no bucket",
        "'read:', 'has no bucket \"\"'",
        "read:/key, 'has no bucket \"\"'",
        "read:im?ge, 'has no bucket \"im?ge\"'",
        "read:b b, 'has no bucket'",
        "reed:b, 'has no right \"reed\": the rights are read, list, write, delete, view, operate, admin'",
        "':b', 'has no right \"\"'",
        "'read,:b', 'has no right \"\"'",
        "*:b, 'has no right \"*\"'",
        "**, names no bucket",
        "read:imagenet/, 'write \"imagenet\" or \"imagenet/*\"'"
    })
    void wrongRuleIsExplained(String rule, String message) {
        assertThatThrownBy(() -> AllowRule.parse(rule))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void longestRuleIsBounded() {
        AllowRule.parse("read:b/" + "a".repeat(2041));

        assertThatThrownBy(() -> AllowRule.parse("read:b/" + "a".repeat(2042)))
                .hasMessageContaining("longer than 2,048");
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "read,list:imagenet/train/*"})
    void ruleShowsAsItWasWritten(String text) {
        assertThat(AllowRule.parse(" " + text + " ")).hasToString(text).isEqualTo(AllowRule.parse(text));
    }

    private static boolean allows(AllowRule rule, Right right, String bucket, Optional<ObjectKey> key) {
        PolicyStatement statement = rule.statement();
        return statement.allows()
                && statement.applies(
                        new EvaluationContext(Principal.ANONYMOUS, RequestParameters.NONE, InstantSource.system()),
                        right.action(),
                        new BucketName(bucket),
                        key);
    }
}
