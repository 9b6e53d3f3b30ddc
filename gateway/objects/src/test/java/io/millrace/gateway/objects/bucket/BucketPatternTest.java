package io.millrace.gateway.objects.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A pattern matches no more names than it should: a wrong match gives a bucket another's backend, prefix and rights.
 */
class BucketPatternTest {
    @Test
    void matchesWhatTheRegularExpressionMatches() {
        Random random = new Random(3);
        int matched = 0;
        for (int i = 0; i < 100_000; i++) {
            String pattern = text(random, "ab*", 8);
            BucketName name = new BucketName("a" + text(random, "ab", 6) + "ab");
            if (pattern.indexOf('*') >= 0) {
                boolean expected = Pattern.matches(pattern.replace("*", ".*"), name.value());
                assertThat(BucketPattern.parse(pattern).matches(name))
                        .as("%s %s", pattern, name)
                        .isEqualTo(expected);
                matched += expected ? 1 : 0;
            }
        }
        assertThat(matched).isGreaterThan(5_000);
    }

    @Test
    void aNameWithoutStarsIsItself() {
        BucketPattern name = BucketPattern.parse("data.set");

        assertThat(name.isPattern()).isFalse();
        assertThat(name.matches(new BucketName("data.set"))).isTrue();
        assertThat(name.matches(new BucketName("dataxset"))).isFalse();
        assertThat(name.matches(new BucketName("data.set2"))).isFalse();
    }

    @Test
    void theSameTextIsTheSamePattern() {
        assertThat(BucketPattern.parse("a-*"))
                .isEqualTo(BucketPattern.parse("a-*"))
                .hasSameHashCodeAs(BucketPattern.parse("a-*"))
                .isNotEqualTo(BucketPattern.parse("b-*"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ab", "a/b", "a b", "..a", "a?c", "*/x", "[a]*"})
    void refusesInvalidPatterns(String text) {
        assertThatThrownBy(() -> BucketPattern.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private static String text(Random random, String letters, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = 1 + random.nextInt(most); i > 0; i--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }
}
