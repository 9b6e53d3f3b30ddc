package io.millrace.kit.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Writes small files so that they and their names survive a power cut. All methods block. */
public final class DurableFiles {
    /** Suffix of {@link #freshBeside}. */
    public static final String FRESH = ".new";

    private DurableFiles() {}

    /**
     * Creates or replaces a file, which only its owner can access then, and waits until it is durable. Readers see the
     * old content or the new.
     */
    public static void replace(Path file, byte[] content) throws IOException {
        Path fresh = freshBeside(file);
        try (FileChannel out = PrivateFile.rewrite(fresh)) {
            writeSynced(out, ByteBuffer.wrap(content));
        }
        moveInto(file, fresh);
    }

    /** Returns the path of the temporary file that is to replace a file. */
    public static Path freshBeside(Path file) {
        return file.resolveSibling(file.getFileName() + FRESH);
    }

    /** Writes a new file with this text and syncs it; the caller syncs its folder. */
    public static void writeNew(Path file, String text) throws IOException {
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            writeSynced(out, StandardCharsets.UTF_8.encode(text));
        }
    }

    /** Renames a synced file over another, and waits until the rename is durable. */
    static void moveInto(Path file, Path fresh) throws IOException {
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        @Nullable Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            syncFolder(folder);
        }
    }

    /** Syncs a folder: returns when all names that it has now are on the disk. */
    public static void syncFolder(Path folder) throws IOException {
        try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
            names.force(true);
        }
        // XFS that has just shut itself down, over a broken disk for instance, forces nothing and says it did; but this
        // fails.
        Files.getLastModifiedTime(folder);
    }

    /** Writes what the buffers hold, in as many steps as it takes. */
    public static void writeFully(FileChannel file, ByteBuffer... buffers) throws IOException {
        long left = 0;
        for (ByteBuffer buffer : buffers) {
            left += buffer.remaining();
        }
        while (left > 0) {
            left -= file.write(buffers);
        }
    }

    /** Writes what the buffer holds, and waits until the file is durable. */
    static void writeSynced(FileChannel file, ByteBuffer content) throws IOException {
        writeFully(file, content);
        file.force(true);
    }
}
