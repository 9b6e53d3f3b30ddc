package io.millrace.backend.file;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * The open files of this process, as Linux shows them: the only way from Java to the attributes of a file that is open and
 * has no name any more. Elsewhere there are none, and a file that was replaced counts as changed.
 */
final class Descriptors {
    /** Where Linux shows them; a path in it leads to the open file itself. */
    static final Path FOLDER = Path.of("/proc/self/fd");

    private Descriptors() {}

    /** A path to an open file that is this one. Looks at all of them, so this is for the rare case. */
    static Optional<Path> of(BasicFileAttributes file) throws IOException {
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
