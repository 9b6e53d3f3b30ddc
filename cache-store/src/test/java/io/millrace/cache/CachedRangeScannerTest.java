package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.metadata.ObjectMetadata;
import io.netty.buffer.ByteBuf;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests whether a range counts as resident exactly if each of its blocks is on a disk, wherever it begins. */
@ExtendWith(BufferLeakExtension.class)
class CachedRangeScannerTest {
    private static final int BLOCKS = 200;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    /** Of this object only block 150 is there. */
    @ParameterizedTest
    @CsvSource({"150,150,true", "149,149,false", "151,151,false", "149,150,false", "150,151,false", "0,199,false"})
    void rangeIsResidentIfEachOfItsBlocksIs(long first, long last, boolean resident) {
        try (TestCache test = new TestCache(folder, "64MiB", "1GiB")) {
            FaultyObjectSource source = FaultyObjectSource.sound("large", (long) BLOCKS * TestCache.BLOCK);
            ObjectMetadata large = head(test, source);
            readBlock150(test, large, source);

            assertThat(isFullyResident(test, large, blocks(first, last))).isEqualTo(resident);
        }
    }

    @Test
    void bytesWithinABlockAreResidentWithIt() {
        try (TestCache test = new TestCache(folder, "64MiB", "1GiB")) {
            FaultyObjectSource source = FaultyObjectSource.sound("large", (long) BLOCKS * TestCache.BLOCK);
            ObjectMetadata large = head(test, source);
            long within = 150L * TestCache.BLOCK + 1000;
            ByteRange range = new ByteRange(within, within + 99);

            assertThat(isFullyResident(test, large, range)).isFalse();
            readBlock150(test, large, source);
            assertThat(isFullyResident(test, large, range)).isTrue();
        }
    }

    /** A sender of it to another gateway must have all that one takes at once: 64 MiB. */
    @Test
    void rangeIsNotAvailableWithoutOneOfThe256BlocksThatAreFetchedAtOnce() {
        try (TestCache test = new TestCache(folder, "64MiB", "1GiB")) {
            FaultyObjectSource source = FaultyObjectSource.sound("large", (long) BLOCKS * TestCache.BLOCK);
            ObjectMetadata large = head(test, source);
            read(test, large, blocks(0, BLOCKS - 2), source);

            assertThat(test.cache().reader().availability(large, blocks(0, BLOCKS - 2)))
                    .isEqualTo(BlockAvailability.AVAILABLE);
            assertThat(test.cache().reader().availability(large, blocks(0, BLOCKS - 1)))
                    .isEqualTo(BlockAvailability.ABSENT);
        }
    }

    private static void readBlock150(TestCache test, ObjectMetadata large, FaultyObjectSource source) {
        read(test, large, blocks(150, 150), source);
    }

    private static void read(TestCache test, ObjectMetadata large, ByteRange range, FaultyObjectSource source) {
        test.cache()
                .reader()
                .readBuffers(large, range, source, Optional.empty())
                .doOnNext(ByteBuf::release)
                .blockLast(TIMEOUT);
        test.awaitIdle();
    }

    private static boolean isFullyResident(TestCache test, ObjectMetadata object, ByteRange range) {
        return test.cache()
                .reader()
                .isFullyResident(object, range)
                .blockOptional(TIMEOUT)
                .orElseThrow();
    }

    private static ObjectMetadata head(TestCache test, FaultyObjectSource source) {
        return test.cache()
                .reader()
                .revalidate(TestCache.id("large"), false, source)
                .blockOptional(TIMEOUT)
                .orElseThrow();
    }

    private static ByteRange blocks(long first, long last) {
        return new ByteRange(first * TestCache.BLOCK, (last + 1) * TestCache.BLOCK - 1);
    }
}
