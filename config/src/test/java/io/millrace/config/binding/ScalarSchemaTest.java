package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.millrace.config.DataSize;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.SettingsProblem;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests valid and invalid values of each type: the type of the key decides, not YAML. */
class ScalarSchemaTest {
    record Text(@SettingDescription("x") String it) {}

    record Int(@SettingDescription("x") int it) {}

    record Long64(@SettingDescription("x") long it) {}

    record Fraction(@SettingDescription("x") double it) {}

    record Flag(@SettingDescription("x") boolean it) {}

    record Size(@SettingDescription("x") DataSize it) {}

    record Time(@SettingDescription("x") Duration it) {}

    record Where(@SettingDescription("x") Path it) {}

    record Url(@SettingDescription("x") URI it) {}

    record Hidden(@SettingDescription("x") Secret it) {}

    record Choice(@SettingDescription("x") Word it) {}

    enum Word {
        NEVER,
        FIRST_READ,
        ALWAYS
    }

    record Named(
            @SettingDescription(value = "x", example = "my-bucket")
            SampleSettings.BucketPattern it) {}

    record Rule(@SettingDescription("x") SampleSettings.AllowRule it) {}

    @SuppressWarnings("MethodLength")
    static Stream<Arguments> good() {
        return Stream.of(
                arguments(Text.class, "plain", "plain"),
                arguments(Text.class, "0123", "0123"),
                arguments(Text.class, "on", "on"),
                arguments(Text.class, "1.10", "1.10"),
                arguments(Text.class, "2026-11-20", "2026-11-20"),
                arguments(Text.class, "1:30", "1:30"),
                arguments(Text.class, "=", "="),
                arguments(Text.class, "'null'", "null"),
                arguments(Text.class, "\"\"", ""),
                arguments(Text.class, "' a '", " a "),
                arguments(Text.class, "\"a\\nb\"", "a\nb"),
                arguments(Text.class, "ключ 🔑", "ключ 🔑"),
                arguments(Text.class, "!!str 7", "7"),
                arguments(Text.class, "|\n  a\n  b\n", "a\nb\n"),
                arguments(Int.class, "0", 0),
                arguments(Int.class, "-7", -7),
                arguments(Int.class, "2147483647", Integer.MAX_VALUE),
                arguments(Int.class, "' 8 '", 8),
                arguments(Long64.class, "9223372036854775807", Long.MAX_VALUE),
                arguments(Long64.class, "-9223372036854775808", Long.MIN_VALUE),
                arguments(Fraction.class, "0.25", 0.25),
                arguments(Fraction.class, "-3", -3.0),
                arguments(Fraction.class, "1e-3", 0.001),
                arguments(Flag.class, "true", true),
                arguments(Flag.class, "false", false),
                arguments(Flag.class, "'true'", true),
                arguments(Size.class, "64KiB", new DataSize(65_536)),
                arguments(Size.class, "4096", new DataSize(4_096)),
                arguments(Time.class, "0s", Duration.ZERO),
                arguments(Time.class, "500ms", Duration.ofMillis(500)),
                arguments(Time.class, "60s", Duration.ofMinutes(1)),
                arguments(Time.class, "5m", Duration.ofMinutes(5)),
                arguments(Time.class, "1h", Duration.ofHours(1)),
                arguments(Time.class, "7d", Duration.ofDays(7)),
                arguments(Time.class, "36500d", Duration.ofDays(36_500)),
                arguments(Where.class, "./data", Path.of("/etc/millrace/data")),
                arguments(Where.class, "../x/./y", Path.of("/etc/x/y")),
                arguments(Where.class, "/var/lib/../z", Path.of("/var/z")),
                arguments(Where.class, "a b", Path.of("/etc/millrace/a b")),
                arguments(Url.class, "http://127.0.0.1:9000", URI.create("http://127.0.0.1:9000")),
                arguments(Url.class, "https://s3.example.org", URI.create("https://s3.example.org")),
                arguments(Url.class, "HTTPS://x/y?z=1", URI.create("HTTPS://x/y?z=1")),
                arguments(Url.class, "'http://[::1]:9000/'", URI.create("http://[::1]:9000/")),
                arguments(Hidden.class, "0123", Secret.of("0123")),
                arguments(Hidden.class, "' s '", Secret.of(" s ")),
                arguments(Choice.class, "never", Word.NEVER),
                arguments(Choice.class, "first-read", Word.FIRST_READ),
                arguments(Named.class, "my-bucket", new SampleSettings.BucketPattern("my-bucket")),
                arguments(Named.class, "'*'", new SampleSettings.BucketPattern("*")),
                arguments(Rule.class, "read,list:b/*", SampleSettings.AllowRule.parse("read,list:b/*")));
    }

    @ParameterizedTest
    @MethodSource("good")
    void readsTheValue(Class<? extends Record> type, String text, Object value) throws ReflectiveOperationException {
        Record bound = SettingsFixture.good("it: " + text, type);
        assertThat(type.getDeclaredMethod("it").invoke(bound)).isEqualTo(value);
    }

    static Stream<Arguments> bad() {
        return Stream.of(
                arguments(Text.class, "", "has no value", "remove the key"),
                arguments(Text.class, "null", "has no value", "write a text"),
                arguments(Text.class, "~", "has no value", "write a text"),
                arguments(Text.class, "[ a ]", "is a list, not a single value", "write a text"),
                arguments(Text.class, "{ a: b }", "is a mapping", "write a text"),
                arguments(Int.class, "abc", "is not a whole number", "digits"),
                arguments(Int.class, "''", "is not a whole number", "digits"),
                arguments(Int.class, "1_000", "is not a whole number", "digits"),
                arguments(Int.class, "0x1F", "is not a whole number", "digits"),
                arguments(Int.class, "010", "is not a whole number", "without a leading 0"),
                arguments(Int.class, "+1", "is not a whole number", "digits"),
                arguments(Int.class, "1.0", "is not a whole number", "digits"),
                arguments(Int.class, "1:30", "is not a whole number", "digits"),
                arguments(Int.class, "2147483648", "is out of range", "from -2147483648 to 2147483647"),
                arguments(Int.class, "9".repeat(500), "has too many digits", "fewer digits"),
                arguments(Long64.class, "9223372036854775808", "is out of range", "9223372036854775807"),
                arguments(Fraction.class, ".5", "is not a number", "0.5"),
                arguments(Fraction.class, "0,5", "is not a number", "0.5"),
                arguments(Fraction.class, "NaN", "is not a number", "0.5"),
                arguments(Fraction.class, ".inf", "is not a number", "0.5"),
                arguments(Fraction.class, "1e999", "is out of range", "smaller"),
                arguments(Flag.class, "yes", "is neither true nor false", "write true"),
                arguments(Flag.class, "On", "is neither true nor false", "write true"),
                arguments(Flag.class, "TRUE", "is neither true nor false", "write true"),
                arguments(Flag.class, "no", "is neither true nor false", "write false"),
                arguments(Flag.class, "off", "is neither true nor false", "write false"),
                arguments(Flag.class, "0", "is neither true nor false", "write false"),
                arguments(Flag.class, "maybe", "is neither true nor false", "write true or false"),
                arguments(Size.class, "1 MB?", "is not a size", "1MiB"),
                arguments(Size.class, "-1MiB", "is not a size", "1MiB"),
                arguments(Size.class, "20Gi", "is not a size: its unit is unknown", "20GiB"),
                arguments(Size.class, "99999999TiB", "is too large a size", "1MiB"),
                arguments(Time.class, "60", "has no unit", "60s"),
                arguments(Time.class, "1.5h", "is not a duration", "60s"),
                arguments(Time.class, "1h30m", "is not a duration", "60s"),
                arguments(Time.class, "-1s", "is not a duration", "60s"),
                arguments(Time.class, "PT1M", "is not a duration", "60s"),
                arguments(Time.class, "''", "is not a duration", "60s"),
                arguments(Time.class, "36501d", "is too long", "at most 36500d"),
                arguments(Time.class, "99999999999999999999s", "is too long", "at most 36500d"),
                arguments(Where.class, "''", "is empty", "write a path"),
                arguments(Where.class, "~/data", "begins with ~", "${HOME}"),
                arguments(Where.class, "\"a\\0b\"", "is not a path", "write a path"),
                arguments(Url.class, "127.0.0.1:9000", "does not begin with http://", "http://127.0.0.1:9000"),
                arguments(Url.class, "localhost", "does not begin with http://", "http://"),
                arguments(Url.class, "ftp://x", "does not begin with http://", "http://"),
                arguments(Url.class, "http://", "is not a URL (at character 8)", "http://"),
                arguments(Url.class, "http:///x", "has no host", "http://"),
                arguments(Url.class, "http://a b", "is not a URL (at character 8)", "http://"),
                arguments(Url.class, "http://minio_1:9000", "has a host name with _", "rename"),
                arguments(Url.class, "http://h:99999", "has a port that is none", "65535"),
                arguments(Url.class, "http://h:0", "has a port that is none", "65535"),
                arguments(Url.class, "http://h:port", "has no host", "http://"),
                arguments(Hidden.class, "''", "is empty", "${NAME}"),
                arguments(Hidden.class, "", "has no value", "${NAME}"),
                arguments(Hidden.class, "[ a ]", "is a list", "${NAME}"),
                arguments(Choice.class, "NEVER", "is not one of the allowed words", "did you mean never?"),
                arguments(Choice.class, "first_read", "is not one of the allowed words", "did you mean first-read?"),
                arguments(
                        Choice.class,
                        "sometimes",
                        "is not one of the allowed words",
                        "write never, first-read or always"),
                arguments(
                        Named.class,
                        "My_Bucket!",
                        "not a bucket name: My_Bucket!",
                        "write 3 to 63 letters, or a pattern with '*', as my-bucket"),
                arguments(Rule.class, "read", "has no ':' between rights and bucket", "allow rule"));
    }

    @ParameterizedTest
    @MethodSource("bad")
    void saysWhatIsWrongAndWhatToWrite(Class<? extends Record> type, String text, String what, String remedy) {
        SettingsProblem problem = SettingsFixture.only("# a comment\nit: " + text, type);
        assertThat(problem.source()).isEqualTo("built-in defaults");
        assertThat(problem.line()).isEqualTo(2);
        assertThat(problem.key()).isEqualTo("it");
        assertThat(problem.description()).contains(what);
        assertThat(problem.remedy()).contains(remedy);
    }

    /** Those that are single plain texts. */
    static Stream<Arguments> badTexts() {
        return bad().filter(row -> row.get()[1].toString().matches("[-A-Za-z0-9.:/_ ,?!+~]{1,100}"))
                .filter(row -> !row.get()[1].toString().matches("null|~"));
    }

    @ParameterizedTest
    @MethodSource("badTexts")
    void saysTheSameOfAVariable(Class<? extends Record> type, String text, String what, String remedy) {
        assertThat(SettingsFixture.only("", type, Map.of("MILLRACE_IT", text))).satisfies(problem -> {
            assertThat(problem.source()).isEqualTo("environment variable MILLRACE_IT");
            assertThat(problem.line()).isZero();
            assertThat(problem.key()).isEqualTo("it");
            assertThat(problem.description()).contains(what);
            assertThat(problem.remedy()).contains(remedy);
        });
    }

    @ParameterizedTest
    @MethodSource("badTexts")
    void repeatsTheValue(Class<? extends Record> type, String text, String what, String remedy) {
        assertThat(SettingsFixture.only("it: " + text, type).value()).isEqualTo(text);
    }

    @Test
    void neverRepeatsTheValueOfASecret() {
        assertThat(SettingsFixture.only("it: ${hunter2", Hidden.class).toString())
                .doesNotContain("hunter2");
        assertThat(SettingsFixture.only("it: [ hunter2 ]", Hidden.class).toString())
                .doesNotContain("hunter2");
        assertThat(SettingsFixture.only("it: { a: hunter2 }", Hidden.class).toString())
                .doesNotContain("hunter2");
    }
}
