package io.millrace.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests glob patterns. Access depends on them: a pattern that matches too much exposes data. */
class GlobPatternTest {
    @ParameterizedTest
    @CsvSource({
        "*, '', true",
        "*, a/b, true",
        "a, a, true",
        "a, b, false",
        "a, aa, false",
        "'', '', true",
        "'', a, false",
        "train/*, train/, true",
        "train/*, train/a/b, true",
        "train/*, train, false",
        "train/*, trains/a, false",
        "*.jpg, a/b.jpg, true",
        "*.jpg, a.jpgx, false",
        "*.jpg, .jpg.jpg, true",
        "a*c, abc, true",
        "a*c, ac, true",
        "a*c, abcd, false",
        "a**c, ac, true",
        "?, a, true",
        "?, '', false",
        "?, 😀, true",
        "??, 😀, false",
        "?*, a, true",
        "*?, a, true",
        "*?, '', false",
        "a?c*e, abcde, true",
        "a?c*e, acde, false",
        "ab*ba, aba, false",
        "ab*ba, abba, true",
        "a?a, a, false",
        "a*?a, aa, false",
        "a*?a, aba, true",
        "*a*b, bab, true",
        "*a*b, bb, false",
        "😀*😁, 😀😁, true",
        "*😀*, x😀y, true",
        "*😀*, x😁y, false",
        "[a], a, false",
        "'a.c', abc, false",
        "A, a, false"
    })
    void matches(String pattern, String name, boolean expected) {
        assertThat(GlobPattern.of(pattern).matches(name)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "*, '', true",
        "*, a, true",
        "train/*, train/, true",
        "train/*, train/x/, true",
        "train/*, train, false",
        "train/*, '', false",
        "train/, train/, false",
        "train/?*, train/, false",
        "train/*?, train/x, true",
        "*.jpg, a.jpg, false",
        "a*b*, a1b, true",
        "a*b*, a1, false",
        "a/*/c/*, a/b/c/, true",
        "a/*/c/*, a/b/, false"
    })
    void covers(String pattern, String prefix, boolean expected) {
        assertThat(GlobPattern.of(pattern).covers(prefix)).isEqualTo(expected);
    }

    @Test
    void agreesWithASlowAndObviousMatcher() {
        Random random = new Random(6);
        int matched = 0;
        for (int i = 0; i < 200_000; i++) {
            String pattern = text(random, "ab*?😀", 8);
            String name = text(random, "ab😀", 10);
            boolean expected = matchesSlowly(
                    pattern.codePoints().toArray(), 0, name.codePoints().toArray(), 0);
            assertThat(GlobPattern.of(pattern).matches(name))
                    .as("%s ~ %s", pattern, name)
                    .isEqualTo(expected);
            matched += expected ? 1 : 0;
        }
        assertThat(matched).isBetween(20_000, 180_000);
    }

    @Test
    void coveredPrefixMeansThatEveryLongerNameMatches() {
        Random random = new Random(7);
        int covered = 0;
        for (int i = 0; i < 100_000; i++) {
            GlobPattern glob = GlobPattern.of(text(random, "ab*?", 6));
            String prefix = text(random, "ab", 5);
            if (glob.covers(prefix)) {
                covered++;
                assertThat(glob.matches(prefix + text(random, "abcd😀/", 6)))
                        .as("%s, %s", glob, prefix)
                        .isTrue();
            }
        }
        assertThat(covered).isGreaterThan(5_000);
    }

    @Test
    void patternsLongerThanAMachineWordMatch() {
        String part = "abcdefghijklmnopqrstuvwxyz0123456789/";
        for (int i = 1; i < 8; i++) {
            String name = part.repeat(i);
            assertThat(GlobPattern.of("*" + name + "?" + name + "*").matches("x" + name + "😀" + name))
                    .isTrue();
            assertThat(GlobPattern.of("*" + name + "?" + name + "*").matches("x" + name + name))
                    .isFalse();
            assertThat(GlobPattern.of("?" + name.substring(1) + "*").covers(name))
                    .isTrue();
        }
    }

    @Test
    void noPatternTakesLong() {
        GlobPattern glob = GlobPattern.of("*a".repeat(500) + "b");
        String name = "a".repeat(1024);

        // One that tries every way needs longer than the universe is old.
        assertTimeoutPreemptively(
                Duration.ofMinutes(1), () -> assertThat(glob.matches(name)).isFalse());
    }

    private static String text(Random random, String alphabet, int most) {
        int[] letters = alphabet.codePoints().toArray();
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(most + 1);
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(letters[random.nextInt(letters.length)]);
        }
        return text.toString();
    }

    private static boolean matchesSlowly(int[] pattern, int p, int[] name, int n) {
        if (p == pattern.length) {
            return n == name.length;
        }
        if (pattern[p] == '*') {
            return matchesSlowly(pattern, p + 1, name, n)
                    || (n < name.length && matchesSlowly(pattern, p, name, n + 1));
        }
        return n < name.length
                && (pattern[p] == '?' || pattern[p] == name[n])
                && matchesSlowly(pattern, p + 1, name, n + 1);
    }
}
