package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SettingsProblem;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that all problems are reported together, each with its line. */
class ProblemReporterTest {
    private static final String TWELVE_MISTAKES = """
            s3:    { address: 127.0.0.1, port: 90800 }
            admn:  { port: 9081 }
            data: ~/data
            cache:
              block-size: 1 MB?
              disks:
                - { path: ./data/cache }
                - { path: ./data/cache2, size: 20GiB }
            backends:
              aws:   { type: s3, endpoint: 127.0.0.1:9000, secret-key: "${AWS_SECRET}" }
              local: { type: gcs, path: ./data/objects }
            buckets:
              - { name: imagenet, backend: aws, prefx: train/ }
              - { name: public, backend: nowhere }
              - { name: "*", backend: local, freshness: { mode: tll, ttl: 60 } }
            identities:
              - { name: trainer, access-key: K, secret-key: T, allow: [ "read,list:*", "read" ] }
            """;

    @Test
    void reportsAllProblemsInFileOrder() {
        assertThat(SettingsFixture.bad(TWELVE_MISTAKES, SampleSettings.class))
                .extracting(problem -> problem.line() + " " + problem.key())
                .containsExactly(
                        "1 s3",
                        "2 admn",
                        "3 data",
                        "5 cache.block-size",
                        "7 cache.disks[0].size",
                        "10 backends.aws.endpoint",
                        "10 backends.aws.secret-key",
                        "11 backends.local.type",
                        "13 buckets[0].prefx",
                        "15 buckets[2].freshness.mode",
                        "15 buckets[2].freshness.ttl",
                        "17 identities[0].allow[1]");
    }

    @Test
    void messageNumbersProblemsWithPlaceAndRemedy() {
        List<SettingsProblem> problems = SettingsFixture.bad("s3: { port: x }\ncache: { block-size: 3 }", Both.class);
        assertThat(new SettingsException(problems)).hasMessage("""
                        2 problems in the settings:

                        1. built-in defaults:1  s3.port: x
                           problem: is not a whole number
                           remedy:  write digits only, without a leading 0

                        2. built-in defaults:2  cache.block-size: 3
                           problem: is below min-block-size
                           remedy:  write at least 4KiB""".replace("    problem", "   problem"));
    }

    record Both(
            @SettingDescription("x") SampleSettings.Server s3,
            @SettingDescription("x") Blocks cache) {}

    record Blocks(
            @SettingDescription(value = "x", defaultValue = "1MiB")
            DataSize blockSize,

            @SettingDescription(value = "x", defaultValue = "4KiB")
            DataSize minBlockSize)
            implements SelfValidatingSettings {
        @Override
        public void check(ProblemReporter problems) {
            if (blockSize.compareTo(minBlockSize) < 0) {
                problems.add("block-size", blockSize, "is below min-block-size", "write at least " + minBlockSize);
            }
        }
    }

    @Test
    void crossChecksRunOnRecordsThatCouldBeMade() {
        List<SettingsProblem> problems = SettingsFixture.bad(
                "s3: { domain: [ ] }\nbuckets:\n  - { name: abc, backend: gone }\n", SampleSettings.class);
        assertThat(problems)
                .extracting(problem -> problem.line() + " " + problem.key() + " " + problem.value())
                .containsExactly("1 s3.domain ", "1 identities ", "3 buckets[0].backend gone");
    }

    @Test
    void doesNotReportConsequentialProblems() {
        List<SettingsProblem> problems = SettingsFixture.bad("""
                backends: { aws: { type: s3, endpoint: nowhere, access-key: A, secret-key-file: /nowhere/x } }
                buckets: [ { name: abc, backend: aws } ]
                identities: [ { name: n, access-key: a } ]
                """, SampleSettings.class);
        assertThat(problems)
                .extracting(SettingsProblem::key)
                .containsExactly("backends.aws.endpoint", "backends.aws.secret-key-file", "identities[0].secret-key");
    }

    @Test
    void unreadableSecretFileIsReportedOnce() {
        List<SettingsProblem> problems = SettingsFixture.bad(
                "backends: { aws: { type: s3, endpoint: http://h, access-key: A, secret-key-file: /nowhere/x } }",
                BindingTest.OnlyBackends.class);
        assertThat(problems).extracting(SettingsProblem::key).containsExactly("backends.aws.secret-key-file");
    }

    @Test
    void keyIsReportedOnlyOnce() {
        List<SettingsProblem> problems = SettingsFixture.bad("a: x\nb: 9\n", Ordered.class);
        assertThat(problems).extracting(SettingsProblem::key).containsExactly("a");
    }

    record Ordered(
            @SettingDescription(value = "x", defaultValue = "10")
            int a,

            @SettingDescription(value = "x", defaultValue = "20")
            int b)
            implements SelfValidatingSettings {
        @Override
        public void check(ProblemReporter problems) {
            if (a > b) {
                problems.add("a", a, "is above b", "write at most " + b);
            }
        }
    }

    @Test
    void reportsRecordRulesAtTheRecord() {
        SettingsProblem problem = SettingsFixture.only("x: 1\ninner:\n  a: 1\n", Outer.class);
        assertThat(problem).isEqualTo(new SettingsProblem("built-in defaults", 2, "inner", "", "needs b", "add b"));
    }

    record Outer(
            @SettingDescription("x") int x,
            @SettingDescription("x") Inner inner) {}

    record Inner(
            @SettingDescription("x") Optional<Integer> a,
            @SettingDescription("x") Optional<Integer> b) implements SelfValidatingSettings {
        @Override
        public void check(ProblemReporter problems) {
            if (a.isPresent() && b.isEmpty()) {
                problems.add("", "", "needs b", "add b");
            }
        }
    }

    @Test
    void thoseOfTheEnvironmentComeLast() {
        List<SettingsProblem> problems = SettingsFixture.bad(
                "s3: { port: 1 }\nadmin: { port: y }\nidentities: [ { name: n, access-key: a, secret-key: s } ]",
                SampleSettings.class,
                Map.of("MILLRACE_S3_PORT", "x"));
        assertThat(problems)
                .extracting(problem -> problem.source() + " " + problem.line())
                .containsExactly("built-in defaults 2", "environment variable MILLRACE_S3_PORT 0");
    }

    @Test
    void aMessageStopsAtAHundredProblems() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 150; i++) {
            yaml.append("key-").append(i).append(": 1\n");
        }
        List<SettingsProblem> problems = SettingsFixture.bad(yaml.toString(), Both.class);
        assertThat(problems).hasSize(150);
        assertThat(new SettingsException(problems))
                .hasMessageStartingWith("150 problems in the settings:")
                .hasMessageContaining("\n100. ")
                .hasMessageEndingWith("and 50 more");
    }

    @Test
    void aValueCannotForgeALineOfTheLog() {
        SettingsProblem problem =
                SettingsFixture.only("a: \"x\\n2. y\\e[31m\\u2028\"\nserver: {}", BindingTest.OnlyServer.class);
        assertThat(problem.value()).isEqualTo("x\\u000a2. y\\u001b[31m\\u2028");
        SettingsProblem foreign = SettingsFixture.only("it: \"x\\ny\"", ScalarSchemaTest.Named.class);
        assertThat(foreign.description()).isEqualTo("not a bucket name: x\\u000ay");
    }

    @Test
    void aLongValueIsCut() {
        SettingsProblem problem = SettingsFixture.only("it: " + "x".repeat(5_000), ScalarSchemaTest.Int.class);
        assertThat(problem.value()).hasSize(121).endsWith("…");
    }
}
