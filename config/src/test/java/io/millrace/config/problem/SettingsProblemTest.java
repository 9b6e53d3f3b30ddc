package io.millrace.config.problem;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests how a problem of the settings reads. */
class SettingsProblemTest {
    @Test
    void lineOfTheLogIsASentenceWithTheRemedy() {
        assertThat(problem("***").oneLine())
                .isEqualTo("hub.secret-key: *** is short. To mend it, write 16 characters or more");
        assertThat(problem("").oneLine()).isEqualTo("hub.secret-key is short. To mend it, write 16 characters or more");
    }

    private static SettingsProblem problem(String value) {
        return new SettingsProblem(
                "millrace.yaml", 3, "hub.secret-key", value, "is short", "write 16 characters or more");
    }
}
