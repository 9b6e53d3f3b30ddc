package io.millrace.backend.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** What is done to folders so that it is there after a power cut: a new name counts when its folder has been forced. */
final class Folders {
    private Folders() {}

    /**
     * Whether a folder is there, or a link to one. {@link Files#isDirectory} would say of a disk that fails that nothing is
     * there, and what is not there is deleted, made anew, and told to clients.
     */
    static boolean isThere(Path folder) throws IOException {
        try {
            return Files.readAttributes(folder, BasicFileAttributes.class).isDirectory();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Returns when all names that the folder has now are on the disk. */
    static void force(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
        // XFS that has just shut itself down, over a broken disk for instance, forces nothing and says it did; but this
        // fails.
        Files.getLastModifiedTime(folder);
    }

    /** The same of a folder that may be gone by now: then of the nearest one above it that is there. */
    static void forceNearest(Path folder) throws IOException {
        for (Path step = folder; ; step = FileNames.folderOf(step)) {
            try {
                force(step);
                return;
            } catch (NoSuchFileException e) {
                if (step.getParent() == null) {
                    throw e;
                }
            }
        }
    }

    /** Makes a folder and those above it that are missing, for good. */
    static void make(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path above = FileNames.folderOf(folder);
        make(above);
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
        // Also where another thread made it: that one may not have come so far.
        force(above);
    }

    /** Writes a new file of this text, for good but for its name. */
    static void writeText(Path file, String text) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** Deletes a folder with all that is in it; follows no links. What is gone already is well. */
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
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
                Files.deleteIfExists(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
