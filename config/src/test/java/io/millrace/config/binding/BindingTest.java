package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.millrace.config.DataSize;
import io.millrace.config.Secret;
import io.millrace.config.SelectedByType;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariant;
import io.millrace.config.problem.SettingRange;
import io.millrace.config.problem.SettingsProblem;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the binding of a file to records: names, defaults, lists, maps and unknown keys. */
class BindingTest {
    private static final Map<String, String> AWS = Map.of("AWS_SECRET", "from-the-environment");

    @Test
    void readsTheWholeSample() {
        SampleSettings sample = SettingsFixture.good(SampleSettings.YAML, SampleSettings.class, AWS);
        assertThat(sample.s3()).isEqualTo(new SampleSettings.Server("127.0.0.1", 9080, Optional.of("s3.local")));
        assertThat(sample.data()).isEqualTo(Path.of("/etc/millrace/data"));
        assertThat(sample.cache().disks())
                .containsExactly(
                        new SampleSettings.Disk(Path.of("/etc/millrace/data/cache"), DataSize.ofGibibytes(20)));
        assertThat(sample.backends()).containsOnlyKeys("aws", "local");
        assertThat(sample.backends().get("local"))
                .isEqualTo(new SettingsVariant(
                        "file", new SampleSettings.FileBackend(Path.of("/etc/millrace/data/objects"))));
        assertThat(sample.backends())
                .containsEntry(
                        "aws",
                        new SettingsVariant(
                                "s3",
                                new SampleSettings.S3Backend(
                                        URI.create("http://127.0.0.1:9000"),
                                        "us-east-1",
                                        true,
                                        Optional.of("A"),
                                        Optional.of(Secret.of("from-the-environment")))));
        assertThat(sample.buckets().get(0).freshness().mode()).isEqualTo(SampleSettings.Mode.IMMUTABLE);
        assertThat(sample.buckets().get(2).name().value()).isEqualTo("*");
        assertThat(sample.buckets().get(2).freshness())
                .isEqualTo(new SampleSettings.Freshness(
                        SampleSettings.Mode.TTL, Duration.ofSeconds(60), Duration.ofHours(1)));
        assertThat(sample.identities().get(0).allow()).containsExactly(SampleSettings.AllowRule.parse("read,list:*"));
        assertThat(sample.identities().get(1).allow()).containsExactly(SampleSettings.AllowRule.parse("*"));
    }

    @Test
    void absentKeysHaveTheirDefaults() {
        SampleSettings sample =
                SettingsFixture.good("identities: [ { name: n, access-key: a, secret-key: s } ]", SampleSettings.class);
        assertThat(sample.s3()).isEqualTo(new SampleSettings.Server("127.0.0.1", 0, Optional.empty()));
        assertThat(sample.data()).isEqualTo(Path.of("/etc/millrace/data"));
        assertThat(sample.cache().blockSize()).isEqualTo(DataSize.ofMebibytes(1));
        assertThat(sample.cache().disks()).isEmpty();
        assertThat(sample.backends()).isEmpty();
        assertThat(sample.identities().get(0).allow()).isEmpty();
    }

    @Test
    void emptyMappingCountsAsAbsent() {
        SampleSettings sample = SettingsFixture.good(
                "cache:\n  # block-size: 2MiB\nbuckets:\nidentities: [ { name: n, access-key: a, secret-key: s } ]",
                SampleSettings.class);
        assertThat(sample.cache().blockSize()).isEqualTo(DataSize.ofMebibytes(1));
        assertThat(sample.buckets()).isEmpty();
    }

    @Test
    void mapsKeepTheOrderOfTheFile() {
        Counts counts = SettingsFixture.good("by-name: { z: 1, a: 2, m: 3 }", Counts.class);
        assertThat(counts.byName()).containsExactly(Map.entry("z", 1), Map.entry("a", 2), Map.entry("m", 3));
    }

    record Counts(@SettingDescription("x") Map<String, Integer> byName) {}

    @Test
    void defaultsAreWrittenAsInTheFile() {
        Defaults defaults = SettingsFixture.good("", Defaults.class);
        assertThat(defaults.list()).containsExactly("a", "b c");
        assertThat(defaults.one()).containsExactly("*");
        assertThat(defaults.map()).containsExactly(Map.entry("x", 1));
        assertThat(defaults.rule().mode()).isEqualTo(SampleSettings.Mode.STRICT);
        assertThat(defaults.empty()).isEmpty();
        assertThat(defaults.maybe()).contains(7);
        assertThat(defaults.dollar()).isEqualTo("${HOME}");
    }

    record Defaults(
            @SettingDescription(value = "x", defaultValue = "[ a, b c ]")
            List<String> list,

            @SettingDescription(value = "x", defaultValue = "*")
            List<String> one,

            @SettingDescription(value = "x", defaultValue = "{ x: 1 }")
            Map<String, Integer> map,

            @SettingDescription(value = "x", defaultValue = "{ mode: strict }")
            SampleSettings.Freshness rule,

            @SettingDescription(value = "x", defaultValue = "\"\"")
            String empty,

            @SettingDescription(value = "x", defaultValue = "7")
            Optional<Integer> maybe,

            @SettingDescription(value = "x", defaultValue = "${HOME}")
            String dollar) {}

    @Test
    void invalidDefaultIsAProgrammingError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> SettingsFixture.good("port: 1", WrongDefault.class))
                .withMessageContaining("port");
    }

    record WrongDefault(
            @SettingDescription(value = "x", defaultValue = "many")
            int port) {}

    @Test
    void componentWithoutAnnotationIsAProgrammingError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> SettingsFixture.good("", Unexplained.class))
                .withMessageContaining("@SettingDescription");
    }

    record Unexplained(@SettingDescription("x") int a, int b) {}

    @Test
    void unsupportedTypeIsAProgrammingError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> SettingsFixture.good("", Unsupported.class))
                .withMessageContaining("java.lang.Thread");
    }

    record Unsupported(@SettingDescription("x") List<Thread> threads) {}

    @Test
    void unregisteredFamilyIsAProgrammingError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> SettingsFixture.good("", NoFamily.class))
                .withMessageContaining("frontend");
    }

    record NoFamily(
            @SettingDescription("x") @SelectedByType(family = "frontend")
            List<SettingsVariant> frontends) {}

    @Test
    void missingRequiredKeyIsReportedAtItsRecord() {
        SettingsProblem problem = SettingsFixture.only("cache:\n  disks:\n    - size: 1GiB\n", OnlyCache.class);
        assertThat(problem)
                .isEqualTo(new SettingsProblem(
                        "built-in defaults", 3, "cache.disks[0].path", "", "is required", "add path: <path>"));
    }

    record OnlyCache(@SettingDescription("x") SampleSettings.Cache cache) {}

    @Test
    void reportsRequiredKeysOfAnAbsentRecord() {
        SettingsProblem problem = SettingsFixture.only("", OnlyDisk.class);
        assertThat(problem.key()).isEqualTo("disk.path");
    }

    record OnlyDisk(@SettingDescription("x") SampleSettings.FileBackend disk) {}

    @Test
    void theRemedyForAMissingKeyShowsItsExample() {
        assertThat(SettingsFixture.only("cache: { disks: [ { path: x } ] }", OnlyCache.class)
                        .remedy())
                .isEqualTo("add size: 20GiB");
    }

    @Test
    void unknownKeyErrorSuggestsTheNearestKey() {
        SettingsProblem problem = SettingsFixture.only("cache:\n  blocksize: 1MiB\n", OnlyCache.class);
        assertThat(problem)
                .isEqualTo(new SettingsProblem(
                        "built-in defaults",
                        2,
                        "cache.blocksize",
                        "",
                        "is not a key that Millrace knows",
                        "did you mean block-size? known here: block-size, disks, integrity"));
    }

    @Test
    void suggestsTheRightPlaceOfAMisplacedKey() {
        assertThat(SettingsFixture.only("block-size: 1MiB", OnlyCache.class).remedy())
                .startsWith("move it to cache.block-size;");
    }

    @Test
    void formerKeyIsRefusedWithItsNewName() {
        assertThat(SettingsFixture.only("every: 7d", OnlyInterval.class).remedy())
                .isEqualTo("it is now called interval; known here: interval");
    }

    record OnlyInterval(
            @SettingDescription(value = "x", defaultValue = "7d")
            Duration interval) {}

    @Test
    void formerKeyOfAnotherRecordSuggestsNothing() {
        assertThat(SettingsFixture.only("share: 10%", OnlyInterval.class).remedy())
                .isEqualTo("known here: interval");
    }

    @Test
    void aMergeKeyIsRefusedByName() {
        List<SettingsProblem> problems =
                SettingsFixture.bad("a: &a { integrity: always }\ncache: { <<: *a }", OnlyCache.class);
        assertThat(problems.get(1).key()).isEqualTo("cache.…");
        assertThat(problems.get(1).remedy()).contains("<< is not read");
    }

    @Test
    void hidesAValueJoinedToItsKey() {
        SettingsProblem problem = SettingsFixture.only("{ secret-key:hunter2, secret-key: x }", OnlySecret.class);
        assertThat(problem.toString()).doesNotContain("hunter2");
        assertThat(problem.remedy()).contains("write secret-key: and a space before the value");
    }

    record OnlySecret(@SettingDescription("x") Secret secretKey) {}

    @Test
    void aKeyGivenTwiceIsReportedAtTheSecond() {
        SettingsProblem problem = SettingsFixture.only(
                "cache:\n  integrity: always\n  block-size: 1MiB\n  integrity: always\n", OnlyCache.class);
        assertThat(problem.line()).isEqualTo(4);
        assertThat(problem.key()).isEqualTo("cache.integrity");
        assertThat(problem.description()).isEqualTo("is given twice, first in line 2");
    }

    @Test
    void wrongKindsAreNamed() {
        List<SettingsProblem> problems = SettingsFixture.bad("cache: [ a ]\n", OnlyCache.class);
        assertThat(problems)
                .extracting(SettingsProblem::description)
                .containsExactly("is a list, not a mapping of keys to values");
        assertThat(problems.get(0).remedy()).contains("block-size, disks, integrity");
        assertThat(SettingsFixture.only("cache: { disks: { path: x, size: 1 } }", OnlyCache.class)
                        .description())
                .isEqualTo("is a mapping of keys to values, not a list");
        assertThat(SettingsFixture.only("cache: { disks: x }", OnlyCache.class).description())
                .isEqualTo("is a single value, not a list");
        assertThat(SettingsFixture.only("by-name: [ 1 ]", Counts.class).description())
                .isEqualTo("is a list, not a mapping of names to values");
        assertThat(SettingsFixture.only("- a", Counts.class).description())
                .isEqualTo("is a list, not a mapping of keys to values");
    }

    @Test
    void keysThatAreNoWordsAreRefused() {
        assertThat(SettingsFixture.only("{ [ a ]: b }", Counts.class).description())
                .isEqualTo("has a key that is not a word");
        assertThat(SettingsFixture.only("{ '': b }", Counts.class).description())
                .isEqualTo("has a key that is not a word");
        assertThat(SettingsFixture.only("? \n: b", Counts.class).description())
                .isEqualTo("has a key that is not a word");
    }

    @Test
    void aTypeChoosesTheRecord() {
        SettingsProblem problem = SettingsFixture.only(
                "backends: { x: { type: file, path: y, endpoint: http://h } }", OnlyBackends.class);
        assertThat(problem.key()).isEqualTo("backends.x.endpoint");
        assertThat(problem.remedy()).isEqualTo("it belongs to type s3; known here: type, path");
    }

    record OnlyBackends(
            @SettingDescription("x") @SelectedByType(family = "backend")
            Map<String, SettingsVariant> backends) {}

    @Test
    void invalidTypeErrorListsAllTypes() {
        SettingsProblem missing = SettingsFixture.only("backends: { x: { path: y } }", OnlyBackends.class);
        assertThat(missing.key()).isEqualTo("backends.x.type");
        assertThat(missing.remedy()).isEqualTo("add type: s3 or file");
        SettingsProblem wrong = SettingsFixture.only("backends: { x: { type: flie, path: y } }", OnlyBackends.class);
        assertThat(wrong.description()).isEqualTo("is not a type of backend");
        assertThat(wrong.remedy()).isEqualTo("did you mean file? write s3 or file");
        assertThat(SettingsFixture.only("backends: { x: y }", OnlyBackends.class)
                        .remedy())
                .isEqualTo("write type: s3 or file");
    }

    @Test
    void constructorFailureIsAProblemAtItsKey() {
        SettingsProblem problem = SettingsFixture.only("a: 1\nserver:\n  port: 70000\n", OnlyServer.class);
        assertThat(problem.line()).isEqualTo(2);
        assertThat(problem.key()).isEqualTo("server");
        assertThat(problem.description()).isEqualTo("port 70000 is not between 0 and 65535");
    }

    record OnlyPort(@SettingDescription("x") int port) {
        OnlyPort {
            SettingRange.requirePort("port", port);
        }
    }

    record OnlyPorts(@SettingDescription("x") OnlyPort admin) {}

    @Test
    void constructorRefusesAKeyAtThatKey() {
        SettingsProblem problem = SettingsFixture.only("admin:\n  # a comment\n  port: 70000\n", OnlyPorts.class);
        assertThat(problem.line()).isEqualTo(3);
        assertThat(problem.key()).isEqualTo("admin.port");
        assertThat(problem.value()).isEqualTo("70000");
        assertThat(problem.description()).isEqualTo("is not between 0 and 65535");
        assertThat(problem.remedy()).isEqualTo("write a number from 0 to 65535");
    }

    record OnlyServer(
            @SettingDescription("x") int a,
            @SettingDescription("x") SampleSettings.Server server) {}

    @Test
    void aliasesStandForWhatTheyName() {
        SampleSettings sample = SettingsFixture.good("""
                identities:
                  - { name: a, access-key: a, secret-key: s, allow: &all [ "*" ] }
                  - { name: b, access-key: b, secret-key: s, allow: *all }
                """, SampleSettings.class);
        assertThat(sample.identities().get(1).allow())
                .isEqualTo(sample.identities().get(0).allow());
    }
}
