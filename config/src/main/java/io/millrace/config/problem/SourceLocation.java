package io.millrace.config.problem;

/**
 * The source (file, environment variable or default) and the line of a settings value.
 *
 * @param source a file, an environment variable, or a default
 * @param line from 1; 0 if there is none
 */
public record SourceLocation(String source, int line) {
    private static final String VARIABLE = "environment variable ";

    /** Returns the place of an environment variable. */
    public static SourceLocation variable(String name) {
        return new SourceLocation(VARIABLE + name, 0);
    }

    /** Whether it is an environment variable. */
    public boolean isVariable() {
        return line == 0 && source.startsWith(VARIABLE);
    }
}
