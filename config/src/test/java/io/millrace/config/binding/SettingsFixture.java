package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SettingsProblem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Reads settings in tests, and expects success or problems. */
final class SettingsFixture {
    static final Path FOLDER = Path.of("/etc/millrace");

    private SettingsFixture() {}

    static <S extends Record> S good(String yaml, Class<S> type) {
        return good(yaml, type, Map.of());
    }

    static <S extends Record> S good(String yaml, Class<S> type, Map<String, String> environment) {
        try {
            return new SettingsReader(SampleSettings.VARIANTS, environment)
                    .readText(yaml, FOLDER, type)
                    .settings();
        } catch (SettingsException e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    static List<SettingsProblem> bad(String yaml, Class<? extends Record> type) {
        return bad(yaml, type, Map.of());
    }

    static List<SettingsProblem> bad(String yaml, Class<? extends Record> type, Map<String, String> environment) {
        SettingsReader reader = new SettingsReader(SampleSettings.VARIANTS, environment);
        SettingsException refused =
                catchThrowableOfType(SettingsException.class, () -> reader.readText(yaml, FOLDER, type));
        assertThat(refused).as("refusal of:%n%s", yaml).isNotNull();
        return refused.problems();
    }

    /** The one problem of a text that has no other. */
    static SettingsProblem only(String yaml, Class<? extends Record> type) {
        return only(yaml, type, Map.of());
    }

    static SettingsProblem only(String yaml, Class<? extends Record> type, Map<String, String> environment) {
        List<SettingsProblem> problems = bad(yaml, type, environment);
        assertThat(problems).hasSize(1);
        return problems.get(0);
    }
}
