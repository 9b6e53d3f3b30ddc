package io.millrace.config.binding;

import io.millrace.config.problem.InvalidValueException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Parses paths, resolves them against the folder of the settings file and normalizes them. */
final class PathParser {
    static final String REMEDY = "write a path, absolute or relative to the folder of the settings file";

    static final ValueType TYPE = new ValueType("path", REMEDY, PathParser::parse);

    private PathParser() {}

    static Path parse(String text, Path folder) throws InvalidValueException {
        if (text.isBlank()) {
            throw new InvalidValueException("is empty", REMEDY);
        }
        if (text.startsWith("~")) {
            throw new InvalidValueException(
                    "begins with ~, which only a shell expands", "write the full path, or ${HOME}/...");
        }
        try {
            return folder.resolve(text).normalize();
        } catch (InvalidPathException e) {
            throw new InvalidValueException("is not a path", REMEDY);
        }
    }
}
