package io.millrace.config;

import java.util.Locale;
import java.util.Optional;

/** How keys are spelled in names of environment variables: {@code block-size} as {@code BLOCK_SIZE}. */
final class VariableName {
    /** What all of them begin with. */
    static final String PREFIX = "MILLRACE_";

    private VariableName() {}

    /** The spelling of a key or of an entry's name. */
    static String of(String key) {
        return key.toUpperCase(Locale.ROOT).replace('-', '_').replace('.', '_');
    }

    /** What {@code rest} has after {@code begin}: empty text if they are equal, nothing if it does not begin so. */
    static Optional<String> after(String begin, String rest) {
        if (rest.equals(begin)) {
            return Optional.of("");
        }
        return rest.startsWith(begin + "_") && rest.length() > begin.length() + 1
                ? Optional.of(rest.substring(begin.length() + 1))
                : Optional.empty();
    }
}
