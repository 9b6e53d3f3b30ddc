package io.millrace.config.binding;

import io.millrace.config.problem.SettingsProblem;
import java.util.List;

/**
 * Settings that were read without problems, and their warnings.
 *
 * @param settings the bound record
 * @param source origin of the settings, for the log: the file and the names of environment variables that were applied
 * @param warnings values that are valid but probably not intended
 */
public record LoadedSettings<S extends Record>(S settings, String source, List<SettingsProblem> warnings) {
    public LoadedSettings {
        warnings = List.copyOf(warnings);
    }
}
