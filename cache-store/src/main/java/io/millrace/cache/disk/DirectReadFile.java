package io.millrace.cache.disk;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file opened with O_DIRECT where its file system supports that. Reads return what is on the disk and leave the page
 * cache to clients. For one thread at a time.
 */
final class DirectReadFile implements Closeable {
    /** Alignment of positions and buffers; a multiple of any disk's block size. */
    static final int UNIT = 4096;

    private final FileChannel file;

    private DirectReadFile(FileChannel file) {
        this.file = file;
    }

    static DirectReadFile open(Path path) throws IOException {
        try {
            return new DirectReadFile(FileChannel.open(path, StandardOpenOption.READ, ExtendedOpenOption.DIRECT));
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException | UnsupportedOperationException unsupported) {
            return new DirectReadFile(FileChannel.open(path, StandardOpenOption.READ));
        }
    }

    /** Returns an aligned buffer to read into. */
    static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes + UNIT).alignedSlice(UNIT).slice(0, bytes);
    }

    long size() throws IOException {
        return file.size();
    }

    /**
     * Fills a {@link #buffer} from a position on, up to its capacity or the end of the file, and flips it.
     *
     * @param position a multiple of {@link #UNIT}
     */
    void read(ByteBuffer into, long position) throws IOException {
        read(into, position, into.capacity());
    }

    /**
     * Fills a {@link #buffer} with at most so many bytes, and flips it.
     *
     * @param bytes a multiple of {@link #UNIT}, at most the buffer's capacity
     */
    void read(ByteBuffer into, long position, int bytes) throws IOException {
        into.clear().limit(bytes);
        int read = 0;
        while (into.hasRemaining() && read >= 0) {
            read = file.read(into, position + into.position());
            if (read > 0 && into.position() % UNIT != 0) {
                // Only the end of the file is not aligned.
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
