package io.millrace.config;

/**
 * One thing that is wrong in the settings, and what to do about it.
 *
 * @param source the file, or {@code environment variable NAME}
 * @param line line in the file, from 1; 0 where there is none
 * @param key path of the key as {@code cache.disks[0].size}; empty for the file as a whole
 * @param value what was given there, {@code ***} for a secret; empty where there is nothing to show
 * @param what what is wrong with it
 * @param remedy what to write instead
 */
public record Problem(String source, int line, String key, String value, String what, String remedy) {
    /** A block of lines for the operator, without a line break at its end. */
    @Override
    public String toString() {
        return where() + subject() + "\n   problem: " + what + "\n   remedy:  " + remedy;
    }

    private String where() {
        return line > 0 ? source + ":" + line : source;
    }

    private String subject() {
        if (key.isEmpty()) {
            return "";
        }
        return value.isEmpty() ? "  " + key : "  " + key + ": " + value;
    }
}
