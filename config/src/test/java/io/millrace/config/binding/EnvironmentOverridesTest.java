package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.DataSize;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariant;
import io.millrace.config.problem.SettingsProblem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests environment variables: in a container they may replace the file, among many variables of others. */
class EnvironmentOverridesTest {
    private static final String MINIMAL = "identities: [ { name: n, access-key: a, secret-key: s } ]\n";

    @Test
    void everyKindOfKeyHasAVariable() {
        SampleSettings sample = sample(
                SampleSettings.YAML,
                "AWS_SECRET",
                "x",
                "MILLRACE_S3_PORT",
                "1234",
                "MILLRACE_S3_ADDRESS",
                "0.0.0.0",
                "MILLRACE_DATA",
                "/var/lib/millrace",
                "MILLRACE_CACHE_BLOCK_SIZE",
                "4MiB",
                "MILLRACE_CACHE_DISKS_0_PATH",
                "/disk0",
                "MILLRACE_BACKENDS_AWS_ENDPOINT",
                "http://elsewhere:1",
                "MILLRACE_BUCKETS_0_FRESHNESS_STALE_IF_ERROR",
                "7d",
                "MILLRACE_IDENTITIES_0_SECRET_KEY",
                "from-outside",
                "MILLRACE_IDENTITIES_0_ALLOW",
                "*");
        assertThat(sample.s3()).isEqualTo(new SampleSettings.Server("0.0.0.0", 1234, Optional.of("s3.local")));
        assertThat(sample.data()).isEqualTo(Path.of("/var/lib/millrace"));
        assertThat(sample.cache().blockSize()).isEqualTo(DataSize.ofMebibytes(4));
        assertThat(sample.cache().disks())
                .containsExactly(new SampleSettings.Disk(Path.of("/disk0"), DataSize.ofGibibytes(20)));
        assertThat(sample.backends().toString()).contains("http://elsewhere:1");
        assertThat(sample.buckets().get(0).freshness().staleIfError()).hasDays(7);
        assertThat(sample.buckets().get(0).freshness().mode()).isEqualTo(SampleSettings.Mode.IMMUTABLE);
        assertThat(sample.identities().get(0).secretKey()).isEqualTo(Secret.of("from-outside"));
        assertThat(sample.identities().get(0).allow()).containsExactly(SampleSettings.AllowRule.parse("*"));
    }

    @Test
    void aRecordThatTheFileLacksIsMade() {
        SampleSettings sample = sample(MINIMAL, "MILLRACE_S3_PORT", "1234", "MILLRACE_CACHE_INTEGRITY", "always");
        assertThat(sample.s3().port()).isEqualTo(1234);
        assertThat(sample.cache().integrity()).isEqualTo(SampleSettings.Integrity.ALWAYS);
    }

    @Test
    void aBlankKeyIsFilled() {
        assertThat(sample(MINIMAL + "s3:\n", "MILLRACE_S3_PORT", "1234").s3().port())
                .isEqualTo(1234);
    }

    @Test
    void listsGrowByTheNextIndex() {
        SampleSettings sample = sample(
                MINIMAL,
                "MILLRACE_CACHE_DISKS_0_PATH",
                "/a",
                "MILLRACE_CACHE_DISKS_0_SIZE",
                "1GiB",
                "MILLRACE_CACHE_DISKS_1_PATH",
                "/b",
                "MILLRACE_CACHE_DISKS_1_SIZE",
                "2GiB",
                "MILLRACE_IDENTITIES_1_NAME",
                "second",
                "MILLRACE_IDENTITIES_1_ACCESS_KEY",
                "A",
                "MILLRACE_IDENTITIES_1_SECRET_KEY",
                "S",
                "MILLRACE_IDENTITIES_1_ALLOW_0",
                "read:a",
                "MILLRACE_IDENTITIES_1_ALLOW_1",
                "list:b");
        assertThat(sample.cache().disks())
                .containsExactly(
                        new SampleSettings.Disk(Path.of("/a"), DataSize.ofGibibytes(1)),
                        new SampleSettings.Disk(Path.of("/b"), DataSize.ofGibibytes(2)));
        assertThat(sample.identities().get(1).allow())
                .containsExactly(SampleSettings.AllowRule.parse("read:a"), SampleSettings.AllowRule.parse("list:b"));
    }

    @Test
    void indicesCountAsNumbers() {
        Map<String, String> environment = new HashMap<>();
        for (int i = 0; i < 12; i++) {
            environment.put("MILLRACE_NUMBERS_" + i, "" + i);
        }
        assertThat(SettingsFixture.good("", Numbers.class, environment).numbers())
                .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    }

    record Numbers(@SettingDescription("x") List<Integer> numbers) {}

    @Test
    void listGapIsReportedForTheVariable() {
        SettingsProblem problem =
                SettingsFixture.only(MINIMAL, SampleSettings.class, Map.of("MILLRACE_CACHE_DISKS_2_PATH", "/x"));
        assertThat(problem.source()).isEqualTo("environment variable MILLRACE_CACHE_DISKS_2_PATH");
        assertThat(problem.key()).isEqualTo("cache.disks[2].path");
        assertThat(problem.description()).isEqualTo("the variable means element 2, and the list has 0");
    }

    @Test
    void aListWrittenAsOneValueGrowsToo() {
        SampleSettings sample = sample(
                "identities: [ { name: n, access-key: a, secret-key: s, allow: 'read:a' } ]",
                "MILLRACE_IDENTITIES_0_ALLOW_1",
                "list:b");
        assertThat(sample.identities().get(0).allow()).hasSize(2);
    }

    @Test
    void entriesOfAMapAreFoundByTheirNames() {
        SampleSettings sample = sample(
                MINIMAL + "backends: { my-aws.eu: { type: file, path: a }, my: { type: file, path: b } }",
                "MILLRACE_BACKENDS_MY_AWS_EU_PATH",
                "/x",
                "MILLRACE_BACKENDS_MY_PATH",
                "/y");
        assertThat(sample.backends().get("my-aws.eu"))
                .isEqualTo(new SettingsVariant("file", new SampleSettings.FileBackend(Path.of("/x"))));
        assertThat(sample.backends().get("my"))
                .isEqualTo(new SettingsVariant("file", new SampleSettings.FileBackend(Path.of("/y"))));
    }

    @Test
    void newEntriesOfAMapAreMade() {
        SampleSettings sample = sample(
                MINIMAL,
                "MILLRACE_BACKENDS_MY_AWS_TYPE",
                "s3",
                "MILLRACE_BACKENDS_MY_AWS_ENDPOINT",
                "http://h",
                "MILLRACE_BACKENDS_MY_AWS_PATH_STYLE",
                "true",
                "MILLRACE_BACKENDS_MY_AWS_ACCESS_KEY",
                "A",
                "MILLRACE_BACKENDS_MY_AWS_SECRET_KEY",
                "S",
                "MILLRACE_BACKENDS_LOCAL_TYPE",
                "file",
                "MILLRACE_BACKENDS_LOCAL_PATH",
                "/objects");
        assertThat(sample.backends()).containsOnlyKeys("my-aws", "local");
        assertThat(sample.backends().toString()).contains("pathStyle=true", "secretKey=Optional[***]");
    }

    @Test
    void keyOfAnotherVariantIsReportedForTheVariable() {
        SettingsProblem problem = SettingsFixture.only(
                MINIMAL + "backends: { local: { type: file, path: a } }",
                SampleSettings.class,
                Map.of("MILLRACE_BACKENDS_LOCAL_REGION", "eu"));
        assertThat(problem.source()).isEqualTo("environment variable MILLRACE_BACKENDS_LOCAL_REGION");
        assertThat(problem.key()).isEqualTo("backends.local.region");
    }

    @Test
    void ambiguousVariableIsAProblem() {
        SettingsProblem problem = SettingsFixture.only(
                MINIMAL + "backends: { a-b: { type: file, path: a }, a.b: { type: file, path: b } }",
                SampleSettings.class,
                Map.of("MILLRACE_BACKENDS_A_B_PATH", "/x"));
        assertThat(problem.description()).isEqualTo("the variable may mean backends.a-b.path or backends.a.b.path");
    }

    @Test
    void mapsOfSingleValuesGrowToo() {
        assertThat(SettingsFixture.good(
                                "by-name: { a-b: 1 }",
                                BindingTest.Counts.class,
                                Map.of("MILLRACE_BY_NAME_A_B", "2", "MILLRACE_BY_NAME_C", "3"))
                        .byName())
                .containsExactly(Map.entry("a-b", 2), Map.entry("c", 3));
    }

    @Test
    void aDefaultIsChangedInPart() {
        assertThat(SettingsFixture.good("", BindingTest.Defaults.class, Map.of("MILLRACE_RULE_TTL", "5s"))
                        .rule())
                .satisfies(rule -> {
                    assertThat(rule.mode()).isEqualTo(SampleSettings.Mode.STRICT);
                    assertThat(rule.ttl()).hasSeconds(5);
                });
        assertThat(SettingsFixture.good("", BindingTest.Defaults.class, Map.of("MILLRACE_LIST_2", "d"))
                        .list())
                .containsExactly("a", "b c", "d");
    }

    @Test
    void valuesAreTakenAsTheyAre() {
        Map<String, String> environment = Map.of("MILLRACE_IT", "\"${HOME}\" # *");
        assertThat(SettingsFixture.good("", ScalarSchemaTest.Text.class, environment)
                        .it())
                .isEqualTo("\"${HOME}\" # *");
    }

    @Test
    void ignoresVariablesThatMatchNoKey() {
        SampleSettings sample = sample(
                MINIMAL,
                "MILLRACE_PORT",
                "tcp://10.0.0.1:9080",
                "MILLRACE_SERVICE_HOST",
                "10.0.0.1",
                "MILLRACE_SERVICE_PORT",
                "9080",
                "MILLRACE_SERVICE_PORT_S3",
                "9080",
                "MILLRACE_PORT_9080_TCP",
                "tcp://10.0.0.1:9080",
                "MILLRACE_PORT_9080_TCP_ADDR",
                "10.0.0.1",
                "MILLRACE_S3",
                "x",
                "MILLRACE_S3_",
                "x",
                "MILLRACE_S3_PORT_",
                "x",
                "MILLRACE_",
                "x",
                "MILLRACE_BACKENDS",
                "x",
                "MILLRACE_CACHE_DISKS",
                "x",
                "MILLRACE_CACHE_DISKS_00_PATH",
                "x",
                "MILLRACE_CACHE_DISKS_99999_PATH",
                "x",
                "MILLRACE_JAVA_OPTIONS",
                "-Xmx1g",
                "millrace_s3_port",
                "x",
                "S3_PORT",
                "x");
        assertThat(sample).isEqualTo(sample(MINIMAL));
    }

    @Test
    void theServiceLinkOfKubernetesIsNoPort() {
        SampleSettings sample = sample(
                MINIMAL + "s3: { port: 9080 }",
                "MILLRACE_S3_SERVICE_HOST",
                "10.0.0.1",
                "MILLRACE_S3_PORT",
                "tcp://10.0.0.1:9080");
        assertThat(sample.s3().port()).isEqualTo(9080);
        assertThat(SettingsFixture.only(
                                MINIMAL, SampleSettings.class, Map.of("MILLRACE_S3_PORT", "tcp://10.0.0.1:9080"))
                        .description())
                .isEqualTo("is not a whole number");
    }

    @Test
    void variableDoesNotHideAWrongNodeKind() {
        SettingsProblem problem = SettingsFixture.only(
                MINIMAL + "cache: 5", SampleSettings.class, Map.of("MILLRACE_CACHE_BLOCK_SIZE", "1MiB"));
        assertThat(problem.source()).isEqualTo("built-in defaults");
        assertThat(problem.key()).isEqualTo("cache");
    }

    @Test
    void overriddenInvalidValueIsNoProblem() {
        assertThat(sample(MINIMAL + "s3: { port: x }", "MILLRACE_S3_PORT", "1")
                        .s3()
                        .port())
                .isOne();
    }

    @Test
    void secretVariableOverridesBothFormsInTheFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), "in-file");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        String identity = "identities: [ { name: n, access-key: a, %s } ]";
        assertThat(secret(
                        identity.formatted("secret-key: x"), "MILLRACE_IDENTITIES_0_SECRET_KEY_FILE", file.toString()))
                .isEqualTo("in-file");
        assertThat(secret(identity.formatted("secret-key-file: /x"), "MILLRACE_IDENTITIES_0_SECRET_KEY", "y"))
                .isEqualTo("y");
        SettingsProblem both = SettingsFixture.only(
                MINIMAL,
                SampleSettings.class,
                Map.of(
                        "MILLRACE_IDENTITIES_0_SECRET_KEY",
                        "y",
                        "MILLRACE_IDENTITIES_0_SECRET_KEY_FILE",
                        file.toString()));
        assertThat(both.description()).isEqualTo("is given as well as secret-key");
    }

    @Test
    void theSourceNamesTheVariablesThatCount() throws Exception {
        Map<String, String> environment =
                Map.of("MILLRACE_S3_PORT", "1", "MILLRACE_DATA", "/x", "MILLRACE_OTHER", "z", "HOME", "/root");
        assertThat(new SettingsReader(SampleSettings.VARIANTS, environment)
                        .readText(MINIMAL, SettingsFixture.FOLDER, SampleSettings.class)
                        .source())
                .isEqualTo("built-in defaults and MILLRACE_DATA, MILLRACE_S3_PORT");
    }

    private static String secret(String yaml, String... environment) {
        return sample(yaml, environment).identities().get(0).secretKey().reveal();
    }

    private static SampleSettings sample(String yaml, String... environment) {
        Map<String, String> variables = new HashMap<>();
        for (int i = 0; i < environment.length; i += 2) {
            variables.put(environment[i], environment[i + 1]);
        }
        return SettingsFixture.good(yaml, SampleSettings.class, variables);
    }
}
