package io.millrace.gateway.jobs.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Anyone who may submit a job may write an expression; a short one must not exhaust the memory. */
class RegexSizeEstimatorTest {
    private static final String[] PIECES = {
        "a",
        "b",
        ".",
        "(",
        ")",
        "(?:",
        "|",
        "*",
        "+",
        "?",
        "{2}",
        "{3,}",
        "{1,3}",
        "{0,2}",
        "{",
        "}",
        "[a-c]",
        "[]a{3}]",
        "[^]]",
        "[[:alpha:]]",
        "[(]",
        "[)]",
        "\\(",
        "\\)",
        "\\d",
        "\\pL",
        "\\Q(",
        "\\E",
        "\\b",
        "^",
        "$",
        "(?i)",
        "[\\]]",
        "é"
    };

    @ParameterizedTest
    @ValueSource(
            strings = {
                "((a{1000}){1000})",
                "(((a{1000}){1000}){1000})",
                "((((((a{100}){100}){100}){100}){100}){100})",
                "(?:(?:a{1000}){1000}){1000,}",
                "(?:(?:[)]{1000}){1000}){1000}",
                "(?:(?:\\){1000}){1000}){1000}",
                "((((a{0,99}){0,99}){0,99}){0,99})",
            })
    @Timeout(60)
    void refusesNestedRepetitions(String expression) {
        assertThatThrownBy(() -> ObjectFilter.regex(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("repetitions");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
                "train/([0-9]{4}/){3}shard-[0-9]{6}[.]tar",
                "[0-9a-f]{64}",
                ".{1,1000}",
            })
    void acceptsCommonRepetitions(String expression) {
        assertThat(ObjectFilter.regex(expression)).isNotNull();
    }

    @Test
    void estimateIsNeverTooSmall() {
        Random random = new Random(7);
        int compiled = 0;
        for (int i = 0; i < 200_000; i++) {
            StringBuilder expression = new StringBuilder();
            for (int pieces = 1 + random.nextInt(9); pieces > 0; pieces--) {
                expression.append(PIECES[random.nextInt(PIECES.length)]);
            }
            try {
                int size = Pattern.compile(expression.toString()).programSize();
                compiled++;
                assertThat(RegexSizeEstimator.of(expression.toString()) + 4)
                        .as(expression.toString())
                        .isGreaterThanOrEqualTo(size);
            } catch (PatternSyntaxException none) {
                // The expression is not compiled.
            }
        }
        assertThat(compiled).isGreaterThan(20_000);
    }
}
