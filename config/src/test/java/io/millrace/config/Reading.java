package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Reads texts in tests, and expects them to be good or bad. */
final class Reading {
    static final Path FOLDER = Path.of("/etc/millrace");

    private Reading() {}

    static <S extends Record> S good(String yaml, Class<S> type) {
        return good(yaml, type, Map.of());
    }

    static <S extends Record> S good(String yaml, Class<S> type, Map<String, String> environment) {
        try {
            return new SettingsReader(Sample.VARIANTS, environment)
                    .readText(yaml, FOLDER, type)
                    .settings();
        } catch (SettingsException e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    static List<Problem> bad(String yaml, Class<? extends Record> type) {
        return bad(yaml, type, Map.of());
    }

    static List<Problem> bad(String yaml, Class<? extends Record> type, Map<String, String> environment) {
        SettingsReader reader = new SettingsReader(Sample.VARIANTS, environment);
        SettingsException refused =
                catchThrowableOfType(SettingsException.class, () -> reader.readText(yaml, FOLDER, type));
        assertThat(refused).as("refusal of:%n%s", yaml).isNotNull();
        return refused.problems();
    }

    /** The one problem of a text that has no other. */
    static Problem only(String yaml, Class<? extends Record> type) {
        return only(yaml, type, Map.of());
    }

    static Problem only(String yaml, Class<? extends Record> type, Map<String, String> environment) {
        List<Problem> problems = bad(yaml, type, environment);
        assertThat(problems).hasSize(1);
        return problems.get(0);
    }
}
