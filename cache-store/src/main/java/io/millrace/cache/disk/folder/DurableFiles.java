package io.millrace.cache.disk.folder;

import io.millrace.cache.disk.segment.Segment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Replaces small files atomically and durably. All methods block. */
public final class DurableFiles {
    /** Suffix of {@link #freshBeside}. */
    static final String FRESH = ".new";

    private DurableFiles() {}

    /** Creates or replaces a file, and waits until it is durable. Readers see the old content or the new. */
    static void replace(Path file, byte[] content) throws IOException {
        Path fresh = freshBeside(file);
        try (FileChannel out = create(fresh)) {
            Segment.writeFully(out, ByteBuffer.wrap(content));
            out.force(true);
        }
        moveInto(file, fresh);
    }

    /** Returns the path of the temporary file that is to replace a file. */
    public static Path freshBeside(Path file) {
        return file.resolveSibling(file.getFileName() + FRESH);
    }

    /** Creates an empty file, or truncates the one that is there; the caller closes the channel. */
    public static FileChannel create(Path file) throws IOException {
        return FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    }

    /** Renames a synced file over another, and waits until the rename is durable. */
    public static void moveInto(Path file, Path fresh) throws IOException {
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        @Nullable Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
                names.force(true);
            }
        }
    }
}
