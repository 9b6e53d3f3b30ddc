package io.millrace.config.problem;

/**
 * A problem in the settings and its remedy.
 *
 * @param source the file, or {@code environment variable NAME}
 * @param line line in the file, from 1; 0 if there is none
 * @param key path of the key as {@code cache.disks[0].size}; empty for the file as a whole
 * @param value the value given, {@code ***} for a secret; empty if there is nothing to show
 * @param description what is wrong with it
 * @param remedy what to write instead
 */
public record SettingsProblem(String source, int line, String key, String value, String description, String remedy) {
    /** Formats the problem as lines for the operator, without a final line break. */
    @Override
    public String toString() {
        return where() + subject() + "\n   problem: " + description + "\n   remedy:  " + remedy;
    }

    /** Formats the problem as one sentence for the log, without the place in the file. */
    public String oneLine() {
        String subject = value.isEmpty() ? key : key + ": " + value;
        return "%s %s. To mend it, %s".formatted(subject, description, remedy).strip();
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
