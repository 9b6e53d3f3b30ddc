package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.metadata.ObjectMetadata;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every reader of a small block that is read often gets it from its copy in memory, also one that could wait for a
 * disk; and whoever reads a small range of a larger block gets a copy of that range, of the right version.
 */
@ExtendWith(BufferLeakExtension.class)
class MemoryTierReadersTest {
    private static final int SIZE = 4096;

    /** One of 16 reads makes a copy, so that none of these does once in 10^14 runs. */
    private static final int READS = 500;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

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

    @Test
    void readersOfARangeShareItsCopy() {
        try (TestCache test = new TestCache(folder, "64MiB", "1GiB")) {
            FaultyObjectSource source = FaultyObjectSource.sound("large", 2 * TestCache.BLOCK);
            ObjectMetadata large = verified(test, source);
            ByteRange range = new ByteRange(TestCache.BLOCK + 100_000, TestCache.BLOCK + 100_000 + SIZE - 1);

            readOften(test, large, range);

            assertRead(test, large, source, range, true);
            for (ByteRange beside : List.of(
                    new ByteRange(range.first() + 1, range.last() + 1),
                    new ByteRange(range.first(), range.last() - 1),
                    new ByteRange(range.first() - TestCache.BLOCK, range.last() - TestCache.BLOCK))) {
                assertRead(test, large, source, beside, false);
            }
        }
    }

    @Test
    void copyOfARangeIsOfOneVersion() {
        try (TestCache test = new TestCache(folder, "64MiB", "1GiB")) {
            FaultyObjectSource source = FaultyObjectSource.sound("large", TestCache.BLOCK);
            ByteRange range = new ByteRange(100_000, 100_000 + SIZE - 1);
            readOften(test, verified(test, source), range);

            source.replace();
            ObjectMetadata now = Objects.requireNonNull(test.cache()
                    .reader()
                    .revalidate(TestCache.id("large"), true, source)
                    .block(TIMEOUT));
            verify(test, now, source);

            assertRead(test, now, source, range, false);
            readOften(test, now, range);
            assertRead(test, now, source, range, true);
        }
    }

    @Test
    void copyOfARangeIsOfNoUseWithoutItsBlock() {
        try (TestCache test = new TestCache(folder, "64MiB", "1GiB")) {
            FaultyObjectSource source = FaultyObjectSource.sound("large", TestCache.BLOCK);
            ObjectMetadata large = verified(test, source);
            ByteRange range = new ByteRange(100_000, 100_000 + SIZE - 1);
            readOften(test, large, range);

            assertThat(test.cache().inventory().evict(large)).isEqualTo(TestCache.BLOCK);

            assertThat(test.cache().reader().readFromMemory(large, range)).isNull();
        }
    }

    /** The tier of these caches has 1 MiB, a third of what is read here again and again. */
    @Test
    void copiesOfRangesTakeTheMemoryOfTheTierAtMost() {
        int blocks = 14;
        int length = 60_000;
        try (TestCache test = new TestCache(folder, "64MiB", "1GiB")) {
            FaultyObjectSource source = FaultyObjectSource.sound("large", (long) blocks * TestCache.BLOCK);
            ObjectMetadata large = verified(test, source);
            List<ByteRange> ranges = IntStream.range(0, 4 * blocks)
                    .mapToObj(number -> number / 4 * (long) TestCache.BLOCK + number % 4 * (long) length)
                    .map(first -> new ByteRange(first, first + length - 1))
                    .toList();

            ranges.forEach(range -> readOften(test, large, range));

            long copied = ranges.stream()
                    .filter(range -> isCopied(test, large, range))
                    .count();
            assertThat(copied).isBetween(1L, (1L << 20) / length);
        }
    }

    /** Returns the object of a source, whose blocks are stored and count as verified. */
    private static ObjectMetadata verified(TestCache test, FaultyObjectSource source) {
        ObjectMetadata object = test.headNow("large", source);
        verify(test, object, source);
        return object;
    }

    /** Waits until an object is stored, and reads it so that its blocks count as verified. */
    private static void verify(TestCache test, ObjectMetadata object, FaultyObjectSource source) {
        ByteRange whole = new ByteRange(0, object.size() - 1);
        for (int reads = 0; reads < 2; reads++) {
            test.cache()
                    .reader()
                    .readBuffers(object, whole, source, Optional.empty())
                    .doOnNext(ByteBuf::release)
                    .blockLast(TIMEOUT);
            test.awaitIdle();
        }
    }

    private static void readOften(TestCache test, ObjectMetadata object, ByteRange range) {
        for (int i = 0; i < READS; i++) {
            inMemory(test, object, range).release();
        }
    }

    /** Returns whether two readers of a range get the same memory. */
    private static boolean isCopied(TestCache test, ObjectMetadata object, ByteRange range) {
        ByteBuf one = inMemory(test, object, range);
        ByteBuf other = inMemory(test, object, range);
        boolean isShared = one.memoryAddress() == other.memoryAddress();
        one.release();
        other.release();
        return isShared;
    }

    /** Asserts that a range has the bytes of its source, and whether they come from a copy. */
    private static void assertRead(
            TestCache test, ObjectMetadata object, FaultyObjectSource source, ByteRange range, boolean copied) {
        assertThat(isCopied(test, object, range)).isEqualTo(copied);
        ByteBuf read = inMemory(test, object, range);
        byte[] bytes = ByteBufUtil.getBytes(read);
        read.release();
        assertThat(bytes).isEqualTo(source.bytes().slice(range.first(), (int) range.length()));
    }

    private static ByteBuf inMemory(TestCache test, ObjectMetadata object, ByteRange range) {
        return Objects.requireNonNull(test.cache().reader().readFromMemory(object, range));
    }

    private static ByteBuf read(TestCache test, ObjectMetadata object, FaultyObjectSource source) {
        return Objects.requireNonNull(test.cache()
                .reader()
                .readBuffers(object, new ByteRange(0, SIZE - 1), source, Optional.empty())
                .blockLast(TIMEOUT));
    }
}
