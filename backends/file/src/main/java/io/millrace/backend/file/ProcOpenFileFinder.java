package io.millrace.backend.file;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * Finds an open file of this process in /proc by its attributes, also one that has no name any more. Other systems have
 * none, so there a replaced file counts as changed.
 */
final class ProcOpenFileFinder {
    /** Folder of the open files on Linux; a path in it refers to the open file itself. */
    static final Path FOLDER = Path.of("/proc/self/fd");

    private ProcOpenFileFinder() {}

    /** Returns a path to the open descriptor of this file. Reads all of them, so it is for rare cases. */
    static Optional<Path> find(BasicFileAttributes file) throws IOException {
        if (!Files.isDirectory(FOLDER)) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(FOLDER)) {
            for (Path entry : entries) {
                if (leadsTo(entry, file)) {
                    return Optional.of(entry);
                }
            }
            return Optional.empty();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private static boolean leadsTo(Path entry, BasicFileAttributes file) {
        try {
            Object key = file.fileKey();
            return key != null
                    && key.equals(Files.readAttributes(entry, BasicFileAttributes.class)
                            .fileKey());
        } catch (IOException e) {
            // Closed in the meantime.
            return false;
        }
    }
}
