package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads a file from front to back with growing read sizes. For one thread at a time. */
final class SequentialFileReader {
    private static final int MOST = 1 << 20;

    /** Bytes of the first read after a jump, where little may be wanted. */
    private static final int LEAST = 64 << 10;

    private final DirectReadFile file;
    private final ByteBuffer buffer = DirectReadFile.buffer(MOST);
    private long begin;
    private int size = LEAST;
    private long bytesRead;

    SequentialFileReader(DirectReadFile file) {
        this.file = file;
        buffer.limit(0);
    }

    long bytesRead() {
        return bytesRead;
    }

    /**
     * Returns these bytes, valid until the next call; null if the file ends before.
     *
     * @param bytes {@link #MOST} less {@link DirectReadFile#UNIT} at most
     */
    @Nullable public ByteBuffer at(long position, int bytes) throws IOException {
        if (position < begin || position + bytes > begin + buffer.limit()) {
            move(position, bytes);
        }
        int at = (int) (position - begin);
        return at + bytes <= buffer.limit() ? buffer.slice(at, bytes) : null;
    }

    /** Doubles the read size while reads are contiguous. */
    private void move(long position, int bytes) throws IOException {
        boolean goesOn = position >= begin && position <= begin + buffer.limit();
        size = goesOn ? Math.min(2 * size, MOST) : LEAST;
        begin = position / DirectReadFile.UNIT * DirectReadFile.UNIT;
        int wanted = (int) (position - begin) + bytes;
        int whole = (wanted + DirectReadFile.UNIT - 1) / DirectReadFile.UNIT * DirectReadFile.UNIT;
        buffer.limit(0);
        file.read(buffer, begin, Math.min(MOST, Math.max(size, whole)));
        bytesRead += buffer.limit();
    }
}
