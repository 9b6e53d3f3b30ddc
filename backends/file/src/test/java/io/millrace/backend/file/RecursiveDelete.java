package io.millrace.backend.file;

import io.millrace.backend.testkit.Polling;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Deletes folders with all their content; follows no links. A write that was given up may still make or delete its
 * temporary file meanwhile.
 */
final class RecursiveDelete {
    private RecursiveDelete() {}

    static void delete(Path root) {
        Polling.until("all is deleted", () -> isDeleted(root));
    }

    /** Returns whether nothing came in between. */
    private static boolean isDeleted(Path root) throws IOException {
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
                        throws IOException {
                    Files.deleteIfExists(folder);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException | DirectoryNotEmptyException e) {
            return !Files.exists(root);
        }
        return true;
    }
}
