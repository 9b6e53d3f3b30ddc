package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.SettingsProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets that every user of the machine can read prevent no start, but their owner is told. */
class ReadableSecretWarningTest {
    private static final String CANARY = "s3cret-canary";

    @TempDir
    Path folder;

    record Holder(@SettingDescription("x") Secret secretKey) {}

    record Holders(
            @SettingDescription("x") Holder first,
            @SettingDescription("x") Holder second,
            @SettingDescription("x") Holder third) {}

    record Ports(@SettingDescription("x") Tls tls) {}

    record Tls(
            @SettingDescription("x") Path certificate,
            @SettingDescription("x") Path privateKey) {}

    @Test
    void secretInAFileThatEverybodyReadsIsNamedWithoutItsValue() throws Exception {
        SettingsProblem warning = only(warnings("a.yaml", "secret-key: " + CANARY, "rw-r--r--", Holder.class));

        assertThat(warning.key()).isEqualTo("secret-key");
        assertThat(warning.line()).isEqualTo(1);
        assertThat(warning.description()).isEqualTo("is a secret in a file that every user of this machine can read");
        assertThat(warning.remedy())
                .isEqualTo("chmod 600 %s, or write ${NAME} for each and set that variable"
                        .formatted(folder.resolve("a.yaml")));
        assertThat(warning.oneLine()).startsWith("secret-key is a secret in a file");
        assertThat(warning.toString()).doesNotContain(CANARY);
    }

    @Test
    void allSecretsInAFileThatEverybodyReadsAreNamed() throws Exception {
        SettingsProblem warning = only(warnings(
                "a.yaml",
                "second: { secret-key: %s-2 }\nfirst: { secret-key: %s-1 }\nthird: { secret-key: %s-3 }"
                        .formatted(CANARY, CANARY, CANARY),
                "rw-r--r--",
                Holders.class));

        assertThat(warning.key()).isEqualTo("second.secret-key");
        assertThat(warning.description())
                .isEqualTo("is a secret in a file that every user of this machine can read, as are first.secret-key,"
                        + " third.secret-key");
        assertThat(warning.toString()).doesNotContain(CANARY);
    }

    @Test
    void secretForItsOwnerAndGroupIsFine() throws Exception {
        assertThat(warnings("a.yaml", "secret-key: " + CANARY, "rw-r-----", Holder.class))
                .isEmpty();
    }

    @Test
    void secretOfAVariableIsFine() throws Exception {
        assertThat(warnings("a.yaml", "secret-key: ${SECRET}", "rw-r--r--", Holder.class))
                .isEmpty();
    }

    @Test
    void privateKeyThatEverybodyReadsIsNamed() throws Exception {
        Path key = write("key.pem", "key", "rw-r--r--");
        write("certificate.pem", "certificate", "rw-r--r--");

        SettingsProblem warning = only(warnings(
                "a.yaml", "tls: { certificate: ./certificate.pem, private-key: ./key.pem }", "rw-r--r--", Ports.class));

        assertThat(warning.key()).isEqualTo("tls.private-key");
        assertThat(warning.description()).isEqualTo("can be read by every user of this machine");
        assertThat(warning.remedy()).isEqualTo("chmod 600 " + key);
    }

    private List<SettingsProblem> warnings(String name, String yaml, String mode, Class<? extends Record> type)
            throws Exception {
        return new SettingsReader(SampleSettings.VARIANTS, Map.of("SECRET", CANARY))
                .read(write(name, yaml, mode), type)
                .warnings();
    }

    private static SettingsProblem only(List<SettingsProblem> warnings) {
        assertThat(warnings).hasSize(1);
        return warnings.get(0);
    }

    private Path write(String name, String content, String mode) throws IOException {
        Path file = Files.writeString(folder.resolve(name), content);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }
}
