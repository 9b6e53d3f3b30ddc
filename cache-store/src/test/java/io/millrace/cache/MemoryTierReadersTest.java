package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.metadata.ObjectMetadata;
import io.netty.buffer.ByteBuf;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every reader of a small block that is read often gets it from its copy in memory, also one that could wait for a
 * disk.
 */
@ExtendWith(BufferLeakExtension.class)
class MemoryTierReadersTest {
    private static final int SIZE = 4096;

    /** One of 16 reads makes a copy, so that none of these does once in 10^14 runs. */
    private static final int READS = 500;

    @TempDir
    Path folder;

    @Test
    void streamedReadersShareTheCopyOfASmallBlock() {
        try (TestCache test = new TestCache(folder, "64MiB", "1GiB")) {
            FaultyObjectSource source = FaultyObjectSource.sound("small", SIZE);
            ObjectMetadata small = test.headNow("small", source);
            test.awaitIdle();
            for (int i = 0; i < READS; i++) {
                read(test, small, source).release();
            }

            ByteBuf one = read(test, small, source);
            ByteBuf other = read(test, small, source);

            byte[] bytes = new byte[SIZE];
            other.getBytes(other.readerIndex(), bytes);
            assertThat(bytes).isEqualTo(source.bytes().first(SIZE));
            assertThat(one.memoryAddress()).isEqualTo(other.memoryAddress());
            one.release();
            other.release();
        }
    }

    private static ByteBuf read(TestCache test, ObjectMetadata object, FaultyObjectSource source) {
        return Objects.requireNonNull(test.cache()
                .reader()
                .readBuffers(object, new ByteRange(0, SIZE - 1), source, Optional.empty())
                .blockLast(Duration.ofSeconds(60)));
    }
}
