package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SettingsProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a secret file must not be readable by others, and that its final line break is ignored. */
class SecretFileTest {
    @TempDir
    Path folder;

    record Holder(@SettingDescription("x") Secret secretKey) {}

    record Maybe(@SettingDescription("x") Optional<Secret> secretKey) {}

    @ParameterizedTest
    @CsvSource({"s3cret", "s3cret\\n", "s3cret\\r\\n"})
    void oneLineEndIsNoPartOfIt(String content) throws Exception {
        write(content.replace("\\n", "\n").replace("\\r", "\r"), "rw-------");
        assertThat(read("secret-key-file: ./secret", Holder.class).secretKey()).isEqualTo(Secret.of("s3cret"));
    }

    @Test
    void secretIncludesInnerWhitespaceAndDollarSigns() throws Exception {
        write(" s3\ncret ${X} \n\n", "rw-------");
        assertThat(read("secret-key-file: secret", Holder.class).secretKey()).isEqualTo(Secret.of(" s3\ncret ${X} \n"));
    }

    @Test
    void aByteOrderMarkIsNoPartOfIt() throws Exception {
        write("\uFEFFs3cret", "rw-------");
        assertThat(read("secret-key-file: secret", Holder.class).secretKey()).isEqualTo(Secret.of("s3cret"));
    }

    @Test
    void worksForAnOptionalSecretToo() throws Exception {
        write("s3cret", "r--------");
        assertThat(read("secret-key-file: secret", Maybe.class).secretKey()).contains(Secret.of("s3cret"));
        assertThat(read("{}", Maybe.class).secretKey()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw-r--r--", "rwxrwxrwx", "r--r--r--"})
    void isRefusedWhereOthersCanReadIt(String mode) throws Exception {
        Path file = write("s3cret-canary", mode);
        SettingsProblem problem = problem("a: 1\nsecret-key-file: ./secret");
        assertThat(problem.line()).isEqualTo(2);
        assertThat(problem.key()).isEqualTo("secret-key-file");
        assertThat(problem.value()).isEqualTo("./secret");
        assertThat(problem.description()).isEqualTo("the file can be read by users other than its owner");
        assertThat(problem.remedy()).isEqualTo("chmod 600 " + file);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-------", "r--------", "rwx------", "rw--w--w-", "rwx--x--x"})
    void isReadWhereOnlyItsOwnerCan(String mode) throws Exception {
        write("s3cret", mode);
        assertThat(read("secret-key-file: secret", Holder.class).secretKey()).isEqualTo(Secret.of("s3cret"));
    }

    @Test
    void aLinkCountsAsWhatItLinksTo() throws Exception {
        Path target = write("s3cret", "rw-r--r--");
        Files.createSymbolicLink(folder.resolve("link"), target);
        assertThat(problem("secret-key-file: link").description())
                .contains("can be read by users other than its owner");
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-------"));
        assertThat(read("secret-key-file: link", Holder.class).secretKey()).isEqualTo(Secret.of("s3cret"));
    }

    @Test
    void aFileThatCannotBeASecretIsRefused() throws Exception {
        assertThat(problem("secret-key-file: none").description()).isEqualTo("there is no such file");
        assertThat(problem("secret-key-file: .").description()).isEqualTo("is not a plain file");
        assertThat(problem("secret-key-file: /dev/zero").description()).isEqualTo("is not a plain file");
        write("", "rw-------");
        assertThat(problem("secret-key-file: secret").description()).isEqualTo("the file is empty");
        write("\n", "rw-------");
        assertThat(problem("secret-key-file: secret").description()).isEqualTo("the file is empty");
        write("x".repeat((64 << 10) + 1), "rw-------");
        assertThat(problem("secret-key-file: secret").description()).isEqualTo("the file is larger than 64KiB");
        Files.write(folder.resolve("secret"), new byte[] {(byte) 0xff, 1, 2});
        assertThat(problem("secret-key-file: secret").description()).isEqualTo("is not UTF-8 text");
    }

    @Test
    void theLargestIsReadWhole() throws Exception {
        write("x".repeat(64 << 10), "rw-------");
        assertThat(read("secret-key-file: secret", Holder.class).secretKey().reveal())
                .hasSize(64 << 10);
    }

    @Test
    void bothFormsTogetherAreRefused() throws Exception {
        write("s3cret", "rw-------");
        SettingsProblem problem = problem("secret-key: other\nsecret-key-file: secret");
        assertThat(problem.line()).isEqualTo(2);
        assertThat(problem.description()).isEqualTo("is given as well as secret-key");
    }

    @Test
    void aMissingSecretNamesBothForms() {
        assertThat(problem("{}").remedy()).isEqualTo("add secret-key: <secret>, or secret-key-file: <path>");
    }

    @Test
    void thePathMayComeOutOfAVariable() throws Exception {
        write("s3cret", "rw-------");
        SettingsReader reader = new SettingsReader(SampleSettings.VARIANTS, Map.of("WHERE", folder.toString()));
        assertThat(reader.readText("secret-key-file: ${WHERE}/secret", Path.of("/"), Holder.class)
                        .settings()
                        .secretKey())
                .isEqualTo(Secret.of("s3cret"));
    }

    private Path write(String content, String mode) throws IOException {
        Path file = folder.resolve("secret");
        Files.deleteIfExists(file);
        Files.writeString(file, content);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private <S extends Record> S read(String yaml, Class<S> type) throws SettingsException {
        return new SettingsReader(SampleSettings.VARIANTS, Map.of())
                .readText(yaml, folder, type)
                .settings();
    }

    private SettingsProblem problem(String yaml) {
        SettingsException refused = catchThrowableOfType(SettingsException.class, () -> read(yaml, WithA.class));
        assertThat(refused.problems()).hasSize(1);
        return refused.problems().get(0);
    }

    record WithA(
            @SettingDescription("x") Optional<String> a,
            @SettingDescription("x") Secret secretKey) {}
}
