package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.Secret;
import io.millrace.config.problem.SettingsProblem;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the substitution of variables, which often hold secrets: a missing one must be reported. */
class VariableSubstitutionTest {
    private static final Map<String, String> ENVIRONMENT =
            Map.of("NAME", "value", "EMPTY", "", "NESTED", "${NAME}", "_a1", "u", "PORT", "9080\n", "WORD", "tcp://x");

    @ParameterizedTest
    @CsvSource({
        "${NAME}, value",
        "a${NAME}b, avalueb",
        "${NAME}${NAME}, valuevalue",
        "${EMPTY}, ''",
        "${NESTED}, ${NAME}",
        "${_a1}, u",
        "$${NAME}, ${NAME}",
        "a$${, a${",
        "$$${NAME}, $${NAME}",
        "$NAME, $NAME",
        "$$, $$",
        "a$, a$",
        "$ {NAME}, $ {NAME}",
    })
    void putsVariablesIn(String written, String meant) {
        assertThat(SettingsFixture.good("it: '" + written + "'", ScalarSchemaTest.Text.class, ENVIRONMENT)
                        .it())
                .isEqualTo(meant);
    }

    @Test
    void worksForEveryType() {
        assertThat(SettingsFixture.good("it: ${PORT}", ScalarSchemaTest.Int.class, ENVIRONMENT)
                        .it())
                .isEqualTo(9080);
        assertThat(SettingsFixture.good("it: ${NAME}", ScalarSchemaTest.Hidden.class, ENVIRONMENT)
                        .it())
                .isEqualTo(Secret.of("value"));
    }

    @Test
    void aVariableThatIsNotSetIsNamed() {
        SettingsProblem problem = SettingsFixture.only("it: a${NO_SUCH}b", ScalarSchemaTest.Text.class, ENVIRONMENT);
        assertThat(problem.description()).isEqualTo("the environment variable NO_SUCH is not set");
        assertThat(problem.value()).isEqualTo("a${NO_SUCH}b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"${", "a${NAME", "${}", "${ NAME }", "${NA-ME}", "${1A}", "${NAME:-x}", "${${NAME}}", "${ä}"})
    void aMalformedVariableIsRefused(String text) {
        SettingsProblem problem = SettingsFixture.only("it: '" + text + "'", ScalarSchemaTest.Text.class, ENVIRONMENT);
        assertThat(problem.description()).contains("${");
        assertThat(problem.remedy()).contains("write ${NAME}").contains("$${");
    }

    @Test
    void aMalformedVariableInASecretIsNotRepeated() {
        SettingsProblem problem = SettingsFixture.only("it: 'hun${ter2'", ScalarSchemaTest.Hidden.class, ENVIRONMENT);
        assertThat(problem.toString()).doesNotContain("hun").doesNotContain("ter2");
    }

    @Test
    void problemsShowTheVariableInsteadOfItsValue() {
        SettingsProblem own = SettingsFixture.only("it: ${WORD}", ScalarSchemaTest.Int.class, ENVIRONMENT);
        assertThat(own.value()).isEqualTo("${WORD}");
        SettingsProblem foreign = SettingsFixture.only("it: x${WORD}", ScalarSchemaTest.Named.class, ENVIRONMENT);
        assertThat(foreign.description()).isEqualTo("not a bucket name: x${WORD}");
    }

    @Test
    void aRecordThatRefusesRepeatsNoVariableEither() {
        SettingsProblem problem = SettingsFixture.only(
                "{ a: 1, server: { port: '${P}' } }", BindingTest.OnlyServer.class, Map.of("P", "70000"));
        assertThat(problem.description()).isEqualTo("port ${P} is not between 0 and 65535");
    }

    @Test
    void aCrossCheckShowsWhatWasWritten() {
        SettingsProblem problem = SettingsFixture.only(
                "buckets: [ { name: abc, backend: '${B}' } ]\nidentities: [ { name: n, access-key: a, secret-key: s }"
                        + " ]",
                SampleSettings.class,
                Map.of("B", "canary-1234"));
        assertThat(problem.value()).isEqualTo("${B}");
    }

    @Test
    void aTextThatGrowsTooLongIsRefused() {
        SettingsProblem problem = SettingsFixture.only(
                "it: " + "${X}".repeat(1_000), ScalarSchemaTest.Text.class, Map.of("X", "x".repeat(1_000)));
        assertThat(problem.description()).isEqualTo("is longer than 65536 characters");
    }
}
