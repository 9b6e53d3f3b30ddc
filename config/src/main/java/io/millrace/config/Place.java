package io.millrace.config;

/**
 * Where a value was written.
 *
 * @param source a file, an environment variable, or a default
 * @param line from 1; 0 where there is none
 */
record Place(String source, int line) {
    private static final String VARIABLE = "environment variable ";

    /** A place in the environment. */
    static Place variable(String name) {
        return new Place(VARIABLE + name, 0);
    }

    /** Whether it is in the environment. */
    boolean isVariable() {
        return line == 0 && source.startsWith(VARIABLE);
    }
}
