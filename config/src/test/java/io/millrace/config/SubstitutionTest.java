package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets come in by variables, so a variable that is missed, or put in twice, must be impossible to overlook. */
class SubstitutionTest {
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
        assertThat(Reading.good("it: '" + written + "'", ScalarsTest.Text.class, ENVIRONMENT)
                        .it())
                .isEqualTo(meant);
    }

    @Test
    void worksForEveryType() {
        assertThat(Reading.good("it: ${PORT}", ScalarsTest.Int.class, ENVIRONMENT)
                        .it())
                .isEqualTo(9080);
        assertThat(Reading.good("it: ${NAME}", ScalarsTest.Hidden.class, ENVIRONMENT)
                        .it())
                .isEqualTo(Secret.of("value"));
    }

    @Test
    void aVariableThatIsNotSetIsNamed() {
        Problem problem = Reading.only("it: a${NO_SUCH}b", ScalarsTest.Text.class, ENVIRONMENT);
        assertThat(problem.what()).isEqualTo("the environment variable NO_SUCH is not set");
        assertThat(problem.value()).isEqualTo("a${NO_SUCH}b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"${", "a${NAME", "${}", "${ NAME }", "${NA-ME}", "${1A}", "${NAME:-x}", "${${NAME}}", "${ä}"})
    void aMalformedVariableIsRefused(String text) {
        Problem problem = Reading.only("it: '" + text + "'", ScalarsTest.Text.class, ENVIRONMENT);
        assertThat(problem.what()).contains("${");
        assertThat(problem.remedy()).contains("write ${NAME}").contains("$${");
    }

    @Test
    void aMalformedVariableInASecretIsNotRepeated() {
        Problem problem = Reading.only("it: 'hun${ter2'", ScalarsTest.Hidden.class, ENVIRONMENT);
        assertThat(problem.toString()).doesNotContain("hun").doesNotContain("ter2");
    }

    @Test
    void whatCameOutOfAVariableIsShownAsItWasWritten() {
        Problem own = Reading.only("it: ${WORD}", ScalarsTest.Int.class, ENVIRONMENT);
        assertThat(own.value()).isEqualTo("${WORD}");
        Problem foreign = Reading.only("it: x${WORD}", ScalarsTest.Named.class, ENVIRONMENT);
        assertThat(foreign.what()).isEqualTo("not a bucket name: x${WORD}");
    }

    @Test
    void aRecordThatRefusesRepeatsNoVariableEither() {
        Problem problem =
                Reading.only("{ a: 1, server: { port: '${P}' } }", BindingTest.OnlyServer.class, Map.of("P", "70000"));
        assertThat(problem.what()).isEqualTo("port ${P} is not between 0 and 65535");
    }

    @Test
    void aCrossCheckShowsWhatWasWritten() {
        Problem problem = Reading.only(
                "buckets: [ { name: abc, backend: '${B}' } ]\nidentities: [ { name: n, access-key: a, secret-key: s } ]",
                Sample.class,
                Map.of("B", "canary-1234"));
        assertThat(problem.value()).isEqualTo("${B}");
    }

    @Test
    void aTextThatGrowsTooLongIsRefused() {
        Problem problem =
                Reading.only("it: " + "${X}".repeat(1_000), ScalarsTest.Text.class, Map.of("X", "x".repeat(1_000)));
        assertThat(problem.what()).isEqualTo("is longer than 65536 characters");
    }
}
