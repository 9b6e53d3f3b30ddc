package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.data.GeneratedBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a file is about what is wanted of it, in few calls where that is all. */
class SequentialFileReaderTest {
    private static final int SIZE = 16 << 20;
    private static final int RECORD = 16 << 10;

    @TempDir
    Path folder;

    @Test
    void scatteredReadsReadLittleElse() throws IOException {
        assertThat(read(1 << 20)).isLessThan(SIZE / 8);
    }

    @Test
    void sequentialReadReadsTheFileOnce() throws IOException {
        assertThat(read(RECORD)).isBetween((long) SIZE, SIZE + SIZE / 8L);
    }

    /** Bytes read for a record every so many. */
    private long read(int step) throws IOException {
        byte[] content = GeneratedBytes.of("window").first(SIZE);
        Path path = Files.write(folder.resolve("file"), content);
        try (DirectReadFile file = DirectReadFile.open(path)) {
            SequentialFileReader window = new SequentialFileReader(file);
            for (int at = 0; at + RECORD <= SIZE; at += step) {
                // What stands before a body begins anywhere.
                int from = Math.min(at + 64 * (at / step % 50), SIZE - RECORD);
                ByteBuffer found = window.at(from, RECORD);
                assertThat(found).isEqualTo(ByteBuffer.wrap(content, from, RECORD));
            }
            assertThat(window.at(SIZE - 10, 20)).isNull();
            return window.bytesRead();
        }
    }
}
