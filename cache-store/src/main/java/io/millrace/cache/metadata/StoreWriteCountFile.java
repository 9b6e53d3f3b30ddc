package io.millrace.cache.metadata;

import io.millrace.kit.file.PrivateFile;
import io.millrace.kit.file.PrivateFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * The file that holds the number of writes to the metadata store, outside of the store, so that an outdated store is
 * detected. A store that has lost writes, because it was truncated or replaced by an older copy, is detected at the
 * next start. Survives a killed process. Thread-safe.
 */
final class StoreWriteCountFile implements AutoCloseable {
    private final FileChannel file;
    private long highest;

    private StoreWriteCountFile(FileChannel file, long highest) {
        this.file = file;
        this.highest = highest;
    }

    static StoreWriteCountFile open(Path path) throws IOException {
        Path folder = path.toAbsolutePath().getParent();
        if (folder != null) {
            PrivateFolder.create(folder);
        }
        FileChannel file = PrivateFile.open(path);
        try {
            ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
            boolean counted = file.read(bytes, 0) == Long.BYTES;
            return new StoreWriteCountFile(file, counted ? bytes.flip().getLong() : 0);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** Returns the highest recorded count, 0 before the first. */
    synchronized long highest() {
        return highest;
    }

    /** Records a count if it is higher than all before. */
    synchronized void record(long count) throws IOException {
        if (count > highest) {
            write(count);
        }
    }

    /** Starts over with the count of a new store. */
    synchronized void reset(long count) throws IOException {
        write(count);
    }

    private void write(long count) throws IOException {
        file.write(ByteBuffer.allocate(Long.BYTES).putLong(0, count), 0);
        highest = count;
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }
}
