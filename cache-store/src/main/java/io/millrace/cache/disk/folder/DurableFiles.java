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

/** Small files that are replaced whole, and outlast a power cut. All of it blocks. */
public final class DurableFiles {
    /** What the name of {@link #freshBeside} ends in. */
    static final String FRESH = ".new";

    private DurableFiles() {}

    /** Replaces a file, or makes it, and waits until that is on its disk. Whoever reads it sees the old content or the new. */
    static void replace(Path file, byte[] content) throws IOException {
        Path fresh = freshBeside(file);
        try (FileChannel out = create(fresh)) {
            Segment.writeFully(out, ByteBuffer.wrap(content));
            out.force(true);
        }
        moveInto(file, fresh);
    }

    /** Where the content that is to replace a file's is written first. */
    public static Path freshBeside(Path file) {
        return file.resolveSibling(file.getFileName() + FRESH);
    }

    /** An empty file to write to, whatever was there; the caller's to close. */
    public static FileChannel create(Path file) throws IOException {
        return FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    }

    /** Puts a file, whose content is on the disk, in the place of another, and waits until its name is there, too. */
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
