package io.millrace.gateway.jobs.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.config.DataSize;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter decides on copies and deletes, so accepting too much is as wrong as accepting too little. */
class ObjectFilterTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "*.tar a.tar true",
                "*.tar d/a.tar false",
                "**.tar d/e/a.tar true",
                "**/*.tar a.tar true",
                "**/*.tar d/e/a.tar true",
                "d/** d/e/f true",
                "d/** e/d/f false",
                "a?c abc true",
                "a?c a/c false",
                "[a-c]x bx true",
                "[!a-c]x bx false",
                "[!a-c]x dx true",
                "[!a-c]x /x false",
                "*.{jpg,png} a.png true",
                "*.{jpg,png} a.gif false",
                "a\\*b a*b true",
                "a\\*b axb false",
                "a.b axb false",
                "a+(b)|^$ a+(b)|^$ true",
                "[é-ë]x êx true",
                "日本/*.txt 日本/語.txt true",
            })
    void globsMatchLikeAShell(String glob, String key, boolean taken) {
        assertThat(ObjectFilter.glob("", glob).matches(key)).isEqualTo(taken);
    }

    /** Globs match the rest of the key after the prefix, as in aws-cli and rclone. */
    @ParameterizedTest
    @CsvSource({
        "train/, *.tar, train/a.tar, true",
        "train/, *.tar, train/b/a.tar, false",
        "train/, **.tar, train/b/a.tar, true",
        "train, *.tar, train/a.tar, true",
        "tra.n/, *.tar, train/a.tar, false",
        "o-, 0*, o-01, true",
        "train/, train/*.tar, train/a.tar, false"
    })
    void globsMatchTheRestAfterThePrefix(String prefix, String glob, String key, boolean taken) {
        assertThat(ObjectFilter.glob(prefix, glob).matches(key)).isEqualTo(taken);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[a", "{a,b", "a}", "a\\", "", "[z-a]"})
    void refusesInvalidGlob(String glob) {
        assertThatThrownBy(() -> ObjectFilter.glob("", glob)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Timeout(60)
    void matchingTakesLinearTime() {
        assertThat(ObjectFilter.regex("(a+)+$").matches("a".repeat(1000) + "b")).isFalse();
        assertThat(ObjectFilter.glob("", "*a".repeat(200)).matches("a".repeat(1000) + "b"))
                .isFalse();
    }

    @Test
    void sizeAndDateBoundsAreExact() {
        Instant now = Instant.parse("2026-01-02T03:04:05Z");
        ObjectFilter filter = new ObjectFilter(
                Optional.empty(),
                Optional.empty(),
                Optional.of(new DataSize(10)),
                Optional.of(new DataSize(20)),
                Optional.of(now),
                Optional.of(now.plusSeconds(60)));

        assertThat(filter.takes(item(10, now))).isTrue();
        assertThat(filter.takes(item(20, now.plusSeconds(59)))).isTrue();
        assertThat(filter.takes(item(9, now))).isFalse();
        assertThat(filter.takes(item(21, now))).isFalse();
        assertThat(filter.takes(item(15, now.minus(Duration.ofSeconds(1))))).isFalse();
        assertThat(filter.takes(item(15, now.plusSeconds(60)))).isFalse();
    }

    private static PlanItem item(long size, Instant written) {
        return new PlanItem(new ObjectKey("k"), Optional.of(new PlanItem.Listed(size, Optional.empty(), written)), "k");
    }

    /** Patterns stay in memory with the requests of waiting jobs, which have a bound. */
    @Test
    void patternsWeighAsMuchAsTheirPrograms() {
        assertThat(ObjectFilter.weight("train/", null, null)).isZero();
        assertThat(ObjectFilter.weight(null, "*.tar", null)).isBetween(500L, 2000L);
        assertThat(ObjectFilter.weight("train/", "*.tar", null))
                .isGreaterThan(ObjectFilter.weight(null, "*.tar", null));
        assertThat(ObjectFilter.weight(null, null, "(abc){1000}")).isGreaterThan(100_000);
    }
}
