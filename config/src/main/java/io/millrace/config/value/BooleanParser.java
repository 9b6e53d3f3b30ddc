package io.millrace.config.value;

import io.millrace.config.problem.InvalidValueException;
import java.util.Locale;

/** Parses {@code true} and {@code false}; no other word, because the meaning of {@code on} or {@code no} depends on the YAML version. */
final class BooleanParser {
    private static final String REMEDY = "write true or false";

    static final ValueType TYPE = new ValueType("true or false", REMEDY, (text, folder) -> parse(text.strip()));

    private BooleanParser() {}

    private static boolean parse(String text) throws InvalidValueException {
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true");
        }
        String remedy = switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "y", "on", "1" -> "write true";
            case "false", "no", "n", "off", "0" -> "write false";
            default -> REMEDY;
        };
        throw new InvalidValueException("is neither true nor false", remedy);
    }
}
