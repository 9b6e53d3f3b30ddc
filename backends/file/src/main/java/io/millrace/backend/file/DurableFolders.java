package io.millrace.backend.file;

import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Creates, checks and deletes folders durably: a new name survives a power cut once its folder is synced. */
final class DurableFolders {
    private DurableFolders() {}

    /**
     * Returns whether a folder, or a link to one, exists. {@link Files#isDirectory} would report a failing disk as a
     * missing folder, which callers then delete, create anew, or report to clients.
     */
    static boolean exists(Path folder) throws IOException {
        try {
            return Files.readAttributes(folder, BasicFileAttributes.class).isDirectory();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Syncs a folder or, if it no longer exists, the nearest existing one above it. */
    static void syncNearestExisting(Path folder) throws IOException {
        for (Path step = folder; ; step = Utf8FileNames.parentOf(step)) {
            try {
                DurableFiles.syncFolder(step);
                return;
            } catch (NoSuchFileException e) {
                if (step.getParent() == null) {
                    throw e;
                }
            }
        }
    }

    /** Creates a folder and missing ones above it, and syncs their names. */
    static void create(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path above = Utf8FileNames.parentOf(folder);
        create(above);
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
        // Also where another thread made it: that one may not have come so far.
        DurableFiles.syncFolder(above);
    }

    /** Deletes a folder with all its content. Follows no links, and ignores what is already gone. */
    static void deleteTree(Path root) throws IOException {
        if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                return failure instanceof NoSuchFileException
                        ? FileVisitResult.CONTINUE
                        : super.visitFileFailed(file, failure);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
                Files.deleteIfExists(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
