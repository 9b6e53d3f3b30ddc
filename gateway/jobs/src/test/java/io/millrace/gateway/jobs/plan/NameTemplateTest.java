package io.millrace.gateway.jobs.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests templates of names; a wrong name is an object that does not exist. */
class NameTemplateTest {
    @Test
    void numbersAreAsWideAsTheFirstOne() {
        assertThat(names("shard-{008..011}.tar"))
                .containsExactly("shard-008.tar", "shard-009.tar", "shard-010.tar", "shard-011.tar");
        assertThat(names("{9..10}")).containsExactly("9", "10");
    }

    @Test
    void lastCounterAdvancesFastest() {
        assertThat(names("{0..1}/{a}x{5..7..2}".replace("{a}", "a")))
                .containsExactly("0/ax5", "0/ax7", "1/ax5", "1/ax7");
    }

    @ParameterizedTest
    @CsvSource({"x{000000..004095}.tar, 4096", "{0..9}{0..9}{0..9}, 1000", "{5..5}, 1", "{0..10..3}, 4"})
    void countsNamesWithoutGeneratingThem(String template, long count) {
        assertThat(NameTemplate.parse(template).count()).isEqualTo(count);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shard-{008..011}.tar", "{9..10}", "{0..1}/ax{5..7..2}", "{0..3}{08..11}", "{7..30..7}0"})
    void recognizesItsNames(String template) {
        NameTemplate names = NameTemplate.parse(template);

        assertThat(names(template)).allMatch(names::has);
    }

    @ParameterizedTest
    @CsvSource({
        "shard-{008..011}.tar, shard-007.tar",
        "shard-{008..011}.tar, shard-012.tar",
        "shard-{008..011}.tar, shard-8.tar",
        "shard-{008..011}.tar, shard-0008.tar",
        "shard-{008..011}.tar, shard-009.tar.gz",
        "shard-{008..011}.tar, shard-٠٠٩.tar",
        "{5..7..2}, 6",
        "{5..7}, ''",
        "{0..9}{0..9}, 7",
        "{0..9}, 99999999999999999999999"
    })
    void rejectsOtherNames(String template, String name) {
        assertThat(NameTemplate.parse(template).has(name)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain",
                "{1..}",
                "{b..a}",
                "{3..1}",
                "{1..3..0}",
                "x{0..1}{",
                "{0..999999999999}{0..999999999999}"
            })
    void refusesInvalidTemplateWithReason(String text) {
        assertThatThrownBy(() -> NameTemplate.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("(?s).{10,}");
    }

    private static String[] names(String template) {
        NameTemplate names = NameTemplate.parse(template);
        return LongStream.range(0, names.count()).mapToObj(names::name).toArray(String[]::new);
    }
}
