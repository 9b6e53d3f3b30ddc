package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SettingsProblem;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that invalid or oversized YAML gives a message with its line and without its text, quickly. */
class YamlReaderTest {
    private static final Duration AT_ONCE = Duration.ofSeconds(60);

    static Stream<Arguments> broken() {
        return Stream.of(
                arguments("a: 1\n\tb: 2\n", 2, "a tab stands"),
                arguments("a: @b\n", 1, "cannot start any token"),
                arguments("a: 1\nb: *\n", 2, "begins with *"),
                arguments("a: *b\n", 1, "begins with *"),
                arguments("a: &\n", 1, "is not YAML"),
                arguments("a: 1\nb: \"x\n", 3, "a quote is not closed"),
                arguments("a: 'x\n", 2, "a quote is not closed"),
                arguments("a: \"\\q\"\n", 1, "unknown escape character"),
                arguments("a: \"\\xZZ\"\n", 1, "escape sequence"),
                arguments("a: b: c\n", 1, "mapping values are not allowed here"),
                arguments("a: - b\n", 1, "sequence entries are not allowed here"),
                arguments("a: 1\nb\nc: 2\n", 3, "could not find expected ':'"),
                arguments("a: 1\n  b: 2\n", 2, "mapping values are not allowed here"),
                arguments("a:\n  b: 1\n c: 2\n", 3, "expected <block end>"),
                arguments("a: [ b, c\n", 2, "expected ',' or"),
                arguments("a: { b: 1 c: 2 }\n", 1, "expected ',' or"),
                arguments("a: 1\n---\nb: 2\n", 2, "document"),
                arguments("a: !!java.net.URL [ x ]\n", 1, "a tag"),
                arguments("a: !secret x\n", 1, "a YAML tag"),
                arguments("a: !x!y z\n", 1, "a tag"),
                arguments("%YAML 3.0\n---\na: 1\n", 1, "is not YAML"),
                arguments("a: 1\nb: \u0001\n", 2, "has the character U+0001"));
    }

    @ParameterizedTest
    @MethodSource("broken")
    void saysWhereAndWhatInOurWords(String yaml, int line, String what) {
        List<SettingsProblem> problems = SettingsFixture.bad(yaml, Anything.class);
        assertThat(problems.get(0).line()).isEqualTo(line);
        assertThat(problems.get(0).description()).contains(what);
        assertThat(problems.get(0).remedy()).isNotEmpty();
    }

    record Anything(
            @SettingDescription("x") Map<String, String> a,
            @SettingDescription("x") Map<String, String> b) {}

    @Test
    void reportsTheColumn() {
        assertThat(SettingsFixture.only("a: b: c\n", Anything.class).description())
                .endsWith("(column 5)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "secret-key: *hunter2\n",
                "secret-key: hunter2: x\n",
                "secret-key: \"hunter2\n",
                "secret-key: @hunter2\n",
                "secret-key: !hunter2 hunter2\n",
                "secret-key: !hunter2!x hunter2\n",
                "secret-key: &hunter2\n  - hunter2: [ }\n",
                "secret-key: 'hunter2'hunter2\n",
                "secret-key: \"\\qhunter2\"\n",
                "hunter2\n",
                "secret-key:hunter2\n",
                "- hunter2\n",
                "secret-key: { hunter2: hunter2 }\n",
                "secret-key: hunter2\nsecret-key: hunter2\n",
                "secret-key: hunter2\n\u0001hunter2",
            })
    void neverQuotesTheText(String yaml) {
        assertThat(new SettingsException(SettingsFixture.bad(yaml, BindingTest.OnlySecret.class)))
                .message()
                .doesNotContain("hunter2");
    }

    @Test
    void billionLaughsEndAtOnce() {
        StringBuilder yaml = new StringBuilder("a0: &a0 [ lol, lol, lol, lol, lol, lol, lol, lol, lol ]\n");
        for (int i = 1; i < 10; i++) {
            String last = "*a" + (i - 1);
            yaml.append(
                    "a%d: &a%d [ %s ]\n".formatted(i, i, String.join(", ", java.util.Collections.nCopies(9, last))));
        }
        assertTimeoutPreemptively(AT_ONCE, () -> {
            SettingsProblem problem = SettingsFixture.only(yaml.toString(), Anything.class);
            assertThat(problem.description()).contains("aliases");
        });
    }

    @Test
    void refusesExponentialAliases() {
        StringBuilder yaml = new StringBuilder("a0: &a0 [ lol, lol ]\n");
        for (int i = 1; i < 25; i++) {
            yaml.append("a%d: &a%d [ *a%d, *a%d ]\n".formatted(i, i, i - 1, i - 1));
        }
        assertTimeoutPreemptively(AT_ONCE, () -> {
            SettingsProblem problem = SettingsFixture.only(yaml.toString(), Anything.class);
            assertThat(problem.description()).contains("too large or too deep by its aliases");
        });
    }

    @Test
    void manyAliasesOfOneLongTextEndAtOnce() {
        String yaml = "a: { x: &x " + "y".repeat(100_000) + " }\nb: [" + "*x ,".repeat(100_000) + "]\n";
        assertTimeoutPreemptively(AT_ONCE, () -> {
            SettingsProblem problem = SettingsFixture.only(yaml, Anything.class);
            assertThat(problem.description()).contains("too large or too deep by its aliases");
        });
    }

    @Test
    void anAliasWithinWhatItNamesEndsAtOnce() {
        assertThat(SettingsFixture.only("a: &a { b: *a }", Anything.class).description())
                .contains("by its aliases");
        assertThat(SettingsFixture.only("a: &a [ x, *a ]", Anything.class).description())
                .contains("by its aliases");
    }

    @Test
    void fiftyLevelsAreDeepEnough() {
        assertTimeoutPreemptively(AT_ONCE, () -> {
            String deep = "a: " + "[".repeat(60) + "]".repeat(60);
            assertThat(SettingsFixture.only(deep, Anything.class).description()).contains("Nesting Depth");
            String deeper = "a: " + "{ b: ".repeat(50_000);
            assertThat(SettingsFixture.only(deeper, Anything.class).description())
                    .contains("Nesting Depth");
        });
    }

    @Test
    void aMegabyteOfUnknownKeysIsReportedAtOnce() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; yaml.length() < 1_000_000; i++) {
            yaml.append("blok-size").append(i).append(": x\n");
        }
        assertTimeoutPreemptively(
                AT_ONCE,
                () -> assertThat(SettingsFixture.bad(yaml.toString(), BindingTest.OnlyCache.class))
                        .hasSizeGreaterThan(50_000));
    }

    @Test
    void aThousandBucketsAreReadAtOnce() {
        StringBuilder yaml = new StringBuilder("backends: { local: { type: file, path: x } }\nbuckets:\n");
        for (int i = 0; i < 1_000; i++) {
            yaml.append("  - { name: bucket-").append(i).append(", backend: local, freshness: { ttl: 5s } }\n");
        }
        yaml.append("identities: [ { name: n, access-key: a, secret-key: s } ]\n");
        assertTimeoutPreemptively(
                AT_ONCE,
                () -> assertThatNoException()
                        .isThrownBy(() -> SettingsFixture.good(yaml.toString(), SampleSettings.class)));
    }
}
