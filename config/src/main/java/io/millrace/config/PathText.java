package io.millrace.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Paths of files and folders, relative to the folder of the settings file, without {@code .} and {@code ..}. */
final class PathText {
    private static final String REMEDY = "write a path, absolute or relative to the folder of the settings file";

    static final ScalarShape SHAPE = new ScalarShape("path", REMEDY, PathText::parse);

    private PathText() {}

    private static Path parse(String text, Path folder) throws Unfit {
        if (text.isBlank()) {
            throw new Unfit("is empty", REMEDY);
        }
        if (text.startsWith("~")) {
            throw new Unfit("begins with ~, which only a shell replaces", "write the whole path, or ${HOME}/...");
        }
        try {
            return folder.resolve(text).normalize();
        } catch (InvalidPathException e) {
            throw new Unfit("is not a path", REMEDY);
        }
    }
}
