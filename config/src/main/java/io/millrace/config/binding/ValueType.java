package io.millrace.config.binding;

import io.millrace.config.problem.InvalidValueException;
import java.nio.file.Path;

/**
 * A type of single settings values, such as a size or a URL, and how its text is parsed.
 *
 * @param name in messages and on the reference page
 * @param remedy what to write if the value is missing
 */
record ValueType(String name, String remedy, Parser parser) {
    /** Parses the text of a value. */
    @FunctionalInterface
    interface Parser {
        /** Parses {@code text}; a relative path is relative to {@code folder}. */
        Object parse(String text, Path folder) throws InvalidValueException;
    }
}
