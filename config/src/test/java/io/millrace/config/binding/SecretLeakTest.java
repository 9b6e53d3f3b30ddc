package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.Secret;
import io.millrace.config.SelectedByType;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariant;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SettingsProblem;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that no message contains a secret, by giving recognizable secrets in every way and with every mistake. */
class SecretLeakTest {
    private static final String CANARY = "canary";

    @TempDir
    Path folder;

    record Vault(
            @SettingDescription("x") Secret inline,
            @SettingDescription("x") Secret variable,
            @SettingDescription("x") Secret file,
            @SettingDescription("x") Optional<Secret> maybe,
            @SettingDescription("x") List<Secret> many,
            @SettingDescription("x") Map<String, Secret> named,

            @SettingDescription(value = "x", defaultValue = "[]") @SelectedByType(family = "backend")
            List<SettingsVariant> backends) {}

    private static final String VAULT = """
            inline: canary-inline-1
            variable: "${CANARY}"
            file-file: ./canary.txt
            maybe: canary-maybe-1
            many: [ canary-many-1, "${CANARY}" ]
            named: { a: canary-named-1 }
            backends: [ { type: s3, endpoint: http://h, access-key: A, secret-key: canary-backend-1 } ]
            """;

    @Test
    void loadedSettingsShowNoSecret() throws Exception {
        writeSecret();
        LoadedSettings<Vault> loaded = reader().readText(VAULT, folder, Vault.class);
        assertThat(loaded.settings().variable().reveal()).isEqualTo("canary-variable-1");
        assertThat(loaded.settings().file().reveal()).isEqualTo("canary-file-1");
        for (Object shown : walk(loaded)) {
            assertThat(shown.toString()).doesNotContain(CANARY + "-");
        }
    }

    @Test
    void noProblemShowsASecret() throws Exception {
        writeSecret();
        int refused = 0;
        for (String yaml : mistakes()) {
            try {
                assertThat(reader().readText(yaml, folder, Vault.class).toString())
                        .doesNotContain(CANARY + "-");
            } catch (SettingsException e) {
                refused++;
                StringWriter trace = new StringWriter();
                e.printStackTrace(new PrintWriter(trace));
                assertThat(trace.toString()).as("%s", yaml).doesNotContain(CANARY + "-");
                assertThat(e.problems().toString()).doesNotContain(CANARY + "-");
            }
        }
        assertThat(refused).isGreaterThan(100);
    }

    @Test
    void redactsSecretsInProblemDescriptions() {
        SettingsProblem made = SettingsFixture.only("secret: canary-constructor-1", Talkative.class);
        assertThat(made.description()).isEqualTo("too weak: ***");
        List<SettingsProblem> checked = SettingsFixture.bad("secret: canary-check-1\nport: 1", TalkativeCheck.class);
        assertThat(checked)
                .extracting(SettingsProblem::toString)
                .allSatisfy(text -> assertThat(text).doesNotContain(CANARY).contains("***"));
    }

    @Test
    void shortSecretIsNotShownAsAProblemValue() {
        for (String yaml : List.of("secret: pin\nport: 1", "secret: ${PIN}\nport: 1")) {
            List<SettingsProblem> checked = SettingsFixture.bad(yaml, TalkativeCheck.class, Map.of("PIN", "pin"));
            assertThat(checked).extracting(SettingsProblem::value).containsExactly("***", "1");
        }
    }

    record Talkative(@SettingDescription("x") Secret secret) {
        Talkative {
            throw new IllegalArgumentException("too weak: " + secret.reveal());
        }
    }

    record TalkativeCheck(
            @SettingDescription("x") Secret secret,
            @SettingDescription("x") int port) implements SelfValidatingSettings {
        @Override
        public void check(ProblemReporter problems) {
            problems.add("secret", secret.reveal(), "is " + secret.reveal(), "not " + secret.reveal());
            problems.add("port", secret, "does not fit " + secret.reveal(), "x");
        }
    }

    @Test
    void aPasswordInAUrlIsNotShown() {
        SettingsProblem problem = SettingsFixture.only("it: http://me:canary-url@h", ScalarSchemaTest.Url.class);
        assertThat(problem.description()).contains("has a user or password in it");
        assertThat(problem.toString()).doesNotContain("canary-url");
        assertThat(problem.value()).isEqualTo("http://***@h");
        assertThat(SettingsFixture.only("it: me:canary-url@h:9000", ScalarSchemaTest.Url.class)
                        .value())
                .isEqualTo("***@h:9000");
        assertThat(SettingsFixture.only("it: ftp://me:canary-url@h", ScalarSchemaTest.Url.class)
                        .toString())
                .doesNotContain("canary-url");
        assertThat(SettingsFixture.only("it: http://me:canary-url@h:x y", ScalarSchemaTest.Url.class)
                        .toString())
                .doesNotContain("canary-url");
    }

    /** Every line of the file misspelt, doubled, cut, indented or followed by nonsense. */
    private static List<String> mistakes() {
        List<String> texts = new ArrayList<>();
        String[] lines = VAULT.split("\n");
        for (int i = 0; i < lines.length; i++) {
            String line = lines[i];
            String key = line.substring(0, line.indexOf(':'));
            List<String> wrong = List.of(
                    "x" + line,
                    line + "\n" + line,
                    "  " + line,
                    "- " + line,
                    line.replaceFirst(": ", ":"),
                    line.replaceFirst(": ", " "),
                    line.replaceFirst(": ", ": ["),
                    line.replaceFirst(": ", ": *"),
                    line.replaceFirst(": ", ": &"),
                    line.replaceFirst(": ", ": !"),
                    line.replaceFirst(": ", ": @"),
                    line.replaceFirst(": ", ": \""),
                    line.replaceFirst(": ", ": '"),
                    line.replaceFirst(": ", ": \\${"),
                    line.replaceFirst(": ", ": { a: b, c: ") + " }",
                    line.replaceFirst(": ", ": [ [ ") + " ] ]",
                    line.replaceFirst(": ", ": |\n    "),
                    line + ": x",
                    line + " }",
                    line + "\n" + key + "-file: ./canary.txt",
                    line.replace("endpoint: http://h", "endpoint: h"),
                    line.replace("type: s3", "type: gcs"),
                    line.replace("type: s3", "type: file"),
                    line.replace("type: s3, ", ""),
                    line.replace("secret-key: ", "secret-key:"),
                    line.replace("secret-key", "secretkey"),
                    line.replace("CANARY", "NO_CANARY"));
            for (String replacement : wrong) {
                String[] copy = lines.clone();
                copy[i] = replacement;
                texts.add(String.join("\n", copy) + "\nunknown: 1\n");
            }
        }
        return texts;
    }

    private SettingsReader reader() {
        Map<String, String> environment = new HashMap<>();
        environment.put("CANARY", "canary-variable-1");
        environment.put("MILLRACE_BACKENDS_0_SECRET_KEY", "canary-override-1");
        return new SettingsReader(SampleSettings.VARIANTS, environment);
    }

    private void writeSecret() throws java.io.IOException {
        Path file = Files.writeString(folder.resolve("canary.txt"), "canary-file-1\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    /** The value and everything in it that has a text. */
    private static List<Object> walk(Object value) throws ReflectiveOperationException {
        List<Object> found = new ArrayList<>(List.of(value));
        if (value instanceof Record) {
            for (var component : value.getClass().getRecordComponents()) {
                component.getAccessor().setAccessible(true);
                found.addAll(walk(component.getAccessor().invoke(value)));
            }
        } else if (value instanceof Iterable<?> many && !(value instanceof Path)) {
            for (Object one : many) {
                found.addAll(walk(one));
            }
        } else if (value instanceof Map<?, ?> map) {
            found.addAll(walk(List.copyOf(map.values())));
        } else if (value instanceof Optional<?> optional && optional.isPresent()) {
            found.addAll(walk(optional.get()));
        }
        return found;
    }
}
