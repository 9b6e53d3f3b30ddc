package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A file that is read front to back, a large piece at a time. For one thread at a time. */
final class FileWindow {
    private static final int BYTES = 1 << 20;

    private final DirectFile file;
    private final ByteBuffer buffer = DirectFile.buffer(BYTES);
    private long begin;
    private long bytesRead;

    FileWindow(DirectFile file) {
        this.file = file;
        buffer.limit(0);
    }

    long bytesRead() {
        return bytesRead;
    }

    /**
     * These bytes, until the next call; null if the file ends before.
     *
     * @param bytes {@link #BYTES} less {@link DirectFile#UNIT} at most
     */
    @Nullable ByteBuffer at(long position, int bytes) throws IOException {
        if (position < begin || position + bytes > begin + buffer.limit()) {
            begin = position / DirectFile.UNIT * DirectFile.UNIT;
            buffer.limit(0);
            file.read(buffer, begin);
            bytesRead += buffer.limit();
        }
        int at = (int) (position - begin);
        return at + bytes <= buffer.limit() ? buffer.slice(at, bytes) : null;
    }
}
