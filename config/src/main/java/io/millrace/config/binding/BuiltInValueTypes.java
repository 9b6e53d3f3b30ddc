package io.millrace.config.binding;

import io.millrace.config.DataSize;
import io.millrace.config.Secret;
import io.millrace.config.problem.InvalidValueException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/**
 * The built-in types of single settings values (text, number, size, path and others) by Java class, with the parsers of
 * the simplest.
 */
final class BuiltInValueTypes {
    private static final String BOOLEAN_REMEDY = "write true or false";
    private static final String SIZE_REMEDY =
            "write a whole number and a unit with nothing between: 64KiB, 1MiB, 20GiB, 1TiB"
                    + " (or kB, MB, GB, TB for powers of 1000; a number alone is bytes)";
    private static final String SECRET_REMEDY = "write the secret, or ${NAME} for an environment variable";

    /** The type of {@link Secret}, whose text messages must not show. */
    static final ValueType SECRET = new ValueType("secret", SECRET_REMEDY, (text, folder) -> secret(text));

    private static final ValueType TEXT = new ValueType("text", "write a text", (text, folder) -> text);
    private static final ValueType BOOLEAN =
            new ValueType("true or false", BOOLEAN_REMEDY, (text, folder) -> bool(text.strip()));
    private static final ValueType SIZE = new ValueType("size", SIZE_REMEDY, (text, folder) -> size(text.strip()));

    /** The type of each Java type. */
    static final Map<Class<?>, ValueType> TYPES = Map.ofEntries(
            Map.entry(String.class, TEXT),
            Map.entry(int.class, NumberParser.INT),
            Map.entry(Integer.class, NumberParser.INT),
            Map.entry(long.class, NumberParser.LONG),
            Map.entry(Long.class, NumberParser.LONG),
            Map.entry(double.class, NumberParser.DOUBLE),
            Map.entry(Double.class, NumberParser.DOUBLE),
            Map.entry(boolean.class, BOOLEAN),
            Map.entry(Boolean.class, BOOLEAN),
            Map.entry(DataSize.class, SIZE),
            Map.entry(Duration.class, DurationParser.TYPE),
            Map.entry(Path.class, PathParser.TYPE),
            Map.entry(URI.class, UrlParser.TYPE),
            Map.entry(Secret.class, SECRET));

    private BuiltInValueTypes() {}

    /** Accepts no other word, because the meaning of {@code on} or {@code no} depends on the YAML version. */
    private static boolean bool(String text) throws InvalidValueException {
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true");
        }
        String remedy = switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "y", "on", "1" -> "write true";
            case "false", "no", "n", "off", "0" -> "write false";
            default -> BOOLEAN_REMEDY;
        };
        throw new InvalidValueException("is neither true nor false", remedy);
    }

    private static DataSize size(String text) throws InvalidValueException {
        try {
            return DataSize.parse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidValueException(String.valueOf(e.getMessage()), SIZE_REMEDY);
        }
    }

    private static Secret secret(String text) throws InvalidValueException {
        if (text.isEmpty()) {
            throw new InvalidValueException("is empty", SECRET_REMEDY);
        }
        return Secret.of(text);
    }
}
