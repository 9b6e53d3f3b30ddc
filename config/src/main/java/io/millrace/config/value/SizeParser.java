package io.millrace.config.value;

import io.millrace.config.DataSize;
import io.millrace.config.problem.InvalidValueException;

/** Parses sizes with {@link DataSize} and adds the remedy for an invalid one. */
final class SizeParser {
    private static final String REMEDY =
            "write a whole number and a unit with nothing between: 64KiB, 1MiB, 20GiB, 1TiB"
                    + " (or kB, MB, GB, TB for powers of 1000; a number alone is bytes)";

    static final ValueType TYPE = new ValueType("size", REMEDY, (text, folder) -> parse(text.strip()));

    private SizeParser() {}

    private static DataSize parse(String text) throws InvalidValueException {
        try {
            return DataSize.parse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidValueException(String.valueOf(e.getMessage()), REMEDY);
        }
    }
}
