package io.millrace.cache.disk.io;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that is read past the system's memory for files, where its file system can: what is told is what lies on the disk, and
 * nothing that readers want leaves memory for it. For one thread at a time.
 */
public final class DirectIoFile implements Closeable {
    /** What positions are multiples of; more than any disk's block. */
    public static final int UNIT = 4096;

    private final FileChannel file;

    private DirectIoFile(FileChannel file) {
        this.file = file;
    }

    public static DirectIoFile open(Path path) throws IOException {
        try {
            return new DirectIoFile(FileChannel.open(path, StandardOpenOption.READ, ExtendedOpenOption.DIRECT));
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException | UnsupportedOperationException notThere) {
            return new DirectIoFile(FileChannel.open(path, StandardOpenOption.READ));
        }
    }

    /** A buffer to read into. */
    public static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes + UNIT).alignedSlice(UNIT).slice(0, bytes);
    }

    public long size() throws IOException {
        return file.size();
    }

    /**
     * Fills a {@link #buffer} from a position on, up to its capacity or the end of the file; it is flipped then.
     *
     * @param position a multiple of {@link #UNIT}
     */
    public void read(ByteBuffer into, long position) throws IOException {
        read(into, position, into.capacity());
    }

    /**
     * The same up to so many bytes.
     *
     * @param bytes a multiple of {@link #UNIT}, at most the buffer's
     */
    void read(ByteBuffer into, long position, int bytes) throws IOException {
        into.clear().limit(bytes);
        int read = 0;
        while (into.hasRemaining() && read >= 0) {
            read = file.read(into, position + into.position());
            if (read > 0 && into.position() % UNIT != 0) {
                // Only the end of the file is not a whole unit.
                break;
            }
        }
        into.flip();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
