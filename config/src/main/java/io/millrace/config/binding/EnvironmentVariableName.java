package io.millrace.config.binding;

import java.util.Locale;
import java.util.Optional;

/** Converts settings keys to parts of environment variable names: {@code block-size} to {@code BLOCK_SIZE}. */
final class EnvironmentVariableName {
    /** Prefix of all names. */
    static final String PREFIX = "MILLRACE_";

    private EnvironmentVariableName() {}

    /** Converts a key or the name of an entry. */
    static String of(String key) {
        return key.toUpperCase(Locale.ROOT).replace('-', '_').replace('.', '_');
    }

    /**
     * Returns the rest of {@code rest} after {@code begin} and {@code _}: "" if both are equal, empty if it does not
     * begin so.
     */
    static Optional<String> remainder(String begin, String rest) {
        if (rest.equals(begin)) {
            return Optional.of("");
        }
        return rest.startsWith(begin + "_") && rest.length() > begin.length() + 1
                ? Optional.of(rest.substring(begin.length() + 1))
                : Optional.empty();
    }
}
