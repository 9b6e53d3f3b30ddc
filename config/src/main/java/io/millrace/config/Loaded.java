package io.millrace.config;

import java.util.List;

/**
 * Settings without a problem.
 *
 * @param settings the bound record
 * @param source where they came from, for the log: the file, and the names of the environment variables that count
 * @param warnings what can be used as it is and is hardly meant
 */
public record Loaded<S extends Record>(S settings, String source, List<Problem> warnings) {
    public Loaded {
        warnings = List.copyOf(warnings);
    }
}
