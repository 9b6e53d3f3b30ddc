package io.millrace.config.binding;

import io.millrace.config.problem.InvalidValueException;
import java.nio.file.Path;

/**
 * A type of single settings values, such as a size or a URL, and how its text is parsed.
 *
 * @param name in messages and on the reference page
 * @param remedy what to write if the value is missing
 * @param isMapping whether the value may be a mapping, whose JSON is parsed then
 */
record ValueType(String name, String remedy, Parser parser, boolean isMapping) {
    /** A type whose values are texts alone. */
    ValueType(String name, String remedy, Parser parser) {
        this(name, remedy, parser, false);
    }

    /** Parses the text of a value. */
    @FunctionalInterface
    interface Parser {
        /** Parses {@code text}; a relative path is relative to {@code folder}. */
        Object parse(String text, Path folder) throws InvalidValueException;
    }
}
