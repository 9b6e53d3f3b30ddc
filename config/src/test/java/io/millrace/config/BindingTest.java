package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The way from the file to the records: names, defaults, lists and maps, and keys that do not fit. */
class BindingTest {
    private static final Map<String, String> AWS = Map.of("AWS_SECRET", "from-the-environment");

    @Test
    void readsTheWholeSample() {
        Sample sample = Reading.good(Sample.YAML, Sample.class, AWS);
        assertThat(sample.s3()).isEqualTo(new Sample.Server("127.0.0.1", 9080, Optional.of("s3.local")));
        assertThat(sample.data()).isEqualTo(Path.of("/etc/millrace/data"));
        assertThat(sample.cache().disks())
                .containsExactly(new Sample.Disk(Path.of("/etc/millrace/data/cache"), DataSize.ofGibibytes(20)));
        assertThat(sample.backends()).containsOnlyKeys("aws", "local");
        assertThat(sample.backends().get("local"))
                .isEqualTo(new Typed("file", new Sample.FileBackend(Path.of("/etc/millrace/data/objects"))));
        assertThat(sample.backends())
                .containsEntry(
                        "aws",
                        new Typed(
                                "s3",
                                new Sample.S3Backend(
                                        URI.create("http://127.0.0.1:9000"),
                                        "us-east-1",
                                        true,
                                        Optional.of("A"),
                                        Optional.of(Secret.of("from-the-environment")))));
        assertThat(sample.buckets().get(0).freshness().mode()).isEqualTo(Sample.Mode.IMMUTABLE);
        assertThat(sample.buckets().get(2).name().value()).isEqualTo("*");
        assertThat(sample.buckets().get(2).freshness())
                .isEqualTo(new Sample.Freshness(Sample.Mode.TTL, Duration.ofSeconds(60), Duration.ofHours(1)));
        assertThat(sample.identities().get(0).allow()).containsExactly(Sample.AllowRule.parse("read,list:*"));
        assertThat(sample.identities().get(1).allow()).containsExactly(Sample.AllowRule.parse("*"));
    }

    @Test
    void whatIsNotWrittenHasItsDefault() {
        Sample sample = Reading.good("identities: [ { name: n, access-key: a, secret-key: s } ]", Sample.class);
        assertThat(sample.s3()).isEqualTo(new Sample.Server("127.0.0.1", 0, Optional.empty()));
        assertThat(sample.data()).isEqualTo(Path.of("/etc/millrace/data"));
        assertThat(sample.cache().blockSize()).isEqualTo(DataSize.ofMebibytes(1));
        assertThat(sample.cache().disks()).isEmpty();
        assertThat(sample.backends()).isEmpty();
        assertThat(sample.identities().get(0).allow()).isEmpty();
    }

    @Test
    void aKeyWithEverythingBelowItCommentedOutCountsAsAbsent() {
        Sample sample = Reading.good(
                "cache:\n  # block-size: 2MiB\nbuckets:\nidentities: [ { name: n, access-key: a, secret-key: s } ]",
                Sample.class);
        assertThat(sample.cache().blockSize()).isEqualTo(DataSize.ofMebibytes(1));
        assertThat(sample.buckets()).isEmpty();
    }

    @Test
    void mapsKeepTheOrderOfTheFile() {
        Counts counts = Reading.good("by-name: { z: 1, a: 2, m: 3 }", Counts.class);
        assertThat(counts.byName()).containsExactly(Map.entry("z", 1), Map.entry("a", 2), Map.entry("m", 3));
    }

    record Counts(@Setting("x") Map<String, Integer> byName) {}

    @Test
    void defaultsAreWrittenAsInTheFile() {
        Defaults defaults = Reading.good("", Defaults.class);
        assertThat(defaults.list()).containsExactly("a", "b c");
        assertThat(defaults.one()).containsExactly("*");
        assertThat(defaults.map()).containsExactly(Map.entry("x", 1));
        assertThat(defaults.rule().mode()).isEqualTo(Sample.Mode.STRICT);
        assertThat(defaults.empty()).isEmpty();
        assertThat(defaults.maybe()).contains(7);
        assertThat(defaults.dollar()).isEqualTo("${HOME}");
    }

    record Defaults(
            @Setting(value = "x", byDefault = "[ a, b c ]") List<String> list,
            @Setting(value = "x", byDefault = "*") List<String> one,
            @Setting(value = "x", byDefault = "{ x: 1 }") Map<String, Integer> map,

            @Setting(value = "x", byDefault = "{ mode: strict }")
            Sample.Freshness rule,

            @Setting(value = "x", byDefault = "\"\"") String empty,
            @Setting(value = "x", byDefault = "7") Optional<Integer> maybe,
            @Setting(value = "x", byDefault = "${HOME}") String dollar) {}

    @Test
    void aDefaultThatIsNoneIsAMistakeOfTheProgram() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Reading.good("port: 1", WrongDefault.class))
                .withMessageContaining("port");
    }

    record WrongDefault(
            @Setting(value = "x", byDefault = "many") int port) {}

    @Test
    void aComponentWithoutSettingIsAMistakeOfTheProgram() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Reading.good("", Unexplained.class))
                .withMessageContaining("@Setting");
    }

    record Unexplained(@Setting("x") int a, int b) {}

    @Test
    void aTypeThatNoSettingCanBeIsAMistakeOfTheProgram() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Reading.good("", Unsupported.class))
                .withMessageContaining("java.lang.Thread");
    }

    record Unsupported(@Setting("x") List<Thread> threads) {}

    @Test
    void aFamilyThatNobodyAddedIsAMistakeOfTheProgram() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Reading.good("", NoFamily.class))
                .withMessageContaining("frontend");
    }

    record NoFamily(
            @Setting("x") @ByType(family = "frontend") List<Typed> frontends) {}

    @Test
    void aRequiredKeyIsMissedAtTheLineOfItsRecord() {
        Problem problem = Reading.only("cache:\n  disks:\n    - size: 1GiB\n", OnlyCache.class);
        assertThat(problem)
                .isEqualTo(new Problem(
                        "built-in defaults", 3, "cache.disks[0].path", "", "is required", "add path: <path>"));
    }

    record OnlyCache(@Setting("x") Sample.Cache cache) {}

    @Test
    void requiredKeysOfARecordThatIsNotThereAreMissedToo() {
        Problem problem = Reading.only("", OnlyDisk.class);
        assertThat(problem.key()).isEqualTo("disk.path");
    }

    record OnlyDisk(@Setting("x") Sample.FileBackend disk) {}

    @Test
    void theRemedyForAMissingKeyShowsItsExample() {
        assertThat(Reading.only("cache: { disks: [ { path: x } ] }", OnlyCache.class)
                        .remedy())
                .isEqualTo("add size: 20GiB");
    }

    @Test
    void anUnknownKeyIsReportedWithTheNearestAndAll() {
        Problem problem = Reading.only("cache:\n  blocksize: 1MiB\n", OnlyCache.class);
        assertThat(problem)
                .isEqualTo(new Problem(
                        "built-in defaults",
                        2,
                        "cache.blocksize",
                        "",
                        "is not a key that Millrace knows",
                        "did you mean block-size? known here: block-size, disks, integrity"));
    }

    @Test
    void aKeyAtTheWrongPlaceIsSentToItsOwn() {
        assertThat(Reading.only("block-size: 1MiB", OnlyCache.class).remedy())
                .startsWith("move it to cache.block-size;");
    }

    @Test
    void aMergeKeyIsRefusedByName() {
        List<Problem> problems = Reading.bad("a: &a { integrity: always }\ncache: { <<: *a }", OnlyCache.class);
        assertThat(problems.get(1).key()).isEqualTo("cache.…");
        assertThat(problems.get(1).remedy()).contains("<< is not read");
    }

    @Test
    void aValueThatRanIntoItsKeyIsNotShown() {
        Problem problem = Reading.only("{ secret-key:hunter2, secret-key: x }", OnlySecret.class);
        assertThat(problem.toString()).doesNotContain("hunter2");
        assertThat(problem.remedy()).contains("write secret-key: and a space before the value");
    }

    record OnlySecret(@Setting("x") Secret secretKey) {}

    @Test
    void aKeyGivenTwiceIsReportedAtTheSecond() {
        Problem problem =
                Reading.only("cache:\n  integrity: always\n  block-size: 1MiB\n  integrity: always\n", OnlyCache.class);
        assertThat(problem.line()).isEqualTo(4);
        assertThat(problem.key()).isEqualTo("cache.integrity");
        assertThat(problem.what()).isEqualTo("is given twice, first in line 2");
    }

    @Test
    void wrongKindsAreNamed() {
        List<Problem> problems = Reading.bad("cache: [ a ]\n", OnlyCache.class);
        assertThat(problems).extracting(Problem::what).containsExactly("is a list, not a mapping of keys to values");
        assertThat(problems.get(0).remedy()).contains("block-size, disks, integrity");
        assertThat(Reading.only("cache: { disks: { path: x, size: 1 } }", OnlyCache.class)
                        .what())
                .isEqualTo("is a mapping of keys to values, not a list");
        assertThat(Reading.only("cache: { disks: x }", OnlyCache.class).what())
                .isEqualTo("is a single value, not a list");
        assertThat(Reading.only("by-name: [ 1 ]", Counts.class).what())
                .isEqualTo("is a list, not a mapping of names to values");
        assertThat(Reading.only("- a", Counts.class).what()).isEqualTo("is a list, not a mapping of keys to values");
    }

    @Test
    void keysThatAreNoWordsAreRefused() {
        assertThat(Reading.only("{ [ a ]: b }", Counts.class).what()).isEqualTo("has a key that is no word");
        assertThat(Reading.only("{ '': b }", Counts.class).what()).isEqualTo("has a key that is no word");
        assertThat(Reading.only("? \n: b", Counts.class).what()).isEqualTo("has a key that is no word");
    }

    @Test
    void aTypeChoosesTheRecord() {
        Problem problem =
                Reading.only("backends: { x: { type: file, path: y, endpoint: http://h } }", OnlyBackends.class);
        assertThat(problem.key()).isEqualTo("backends.x.endpoint");
        assertThat(problem.remedy()).isEqualTo("it belongs to type s3; known here: type, path");
    }

    record OnlyBackends(
            @Setting("x") @ByType(family = "backend") Map<String, Typed> backends) {}

    @Test
    void aMissingOrWrongTypeIsReportedWithAllTypes() {
        Problem missing = Reading.only("backends: { x: { path: y } }", OnlyBackends.class);
        assertThat(missing.key()).isEqualTo("backends.x.type");
        assertThat(missing.remedy()).isEqualTo("add type: s3 or file");
        Problem wrong = Reading.only("backends: { x: { type: flie, path: y } }", OnlyBackends.class);
        assertThat(wrong.what()).isEqualTo("is no type of backend");
        assertThat(wrong.remedy()).isEqualTo("did you mean file? write s3 or file");
        assertThat(Reading.only("backends: { x: y }", OnlyBackends.class).remedy())
                .isEqualTo("write type: s3 or file");
    }

    @Test
    void aTypeThatIsNotThereYetIsNotCalledUnknown() {
        Problem problem = Reading.only("backends: { x: { type: gcs, bucket: b } }", OnlyBackends.class);
        assertThat(problem.value()).isEqualTo("gcs");
        assertThat(problem.what()).isEqualTo("is a backend that Millrace does not have yet");
        assertThat(problem.remedy()).isEqualTo("use type s3 with https://storage.googleapis.com");
    }

    @Test
    void whatARecordRefusesIsAProblemAtItsKey() {
        Problem problem = Reading.only("a: 1\nserver:\n  port: 70000\n", OnlyServer.class);
        assertThat(problem.line()).isEqualTo(2);
        assertThat(problem.key()).isEqualTo("server");
        assertThat(problem.what()).isEqualTo("port 70000 is not between 0 and 65535");
    }

    record OnlyServer(@Setting("x") int a, @Setting("x") Sample.Server server) {}

    @Test
    void aliasesStandForWhatTheyName() {
        Sample sample = Reading.good("""
                identities:
                  - { name: a, access-key: a, secret-key: s, allow: &all [ "*" ] }
                  - { name: b, access-key: b, secret-key: s, allow: *all }
                """, Sample.class);
        assertThat(sample.identities().get(1).allow())
                .isEqualTo(sample.identities().get(0).allow());
    }
}
