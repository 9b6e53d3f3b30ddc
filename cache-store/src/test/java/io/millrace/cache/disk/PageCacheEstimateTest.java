package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is taken for memory and lies on the disk stops all clients of an event loop while it is read. */
class PageCacheEstimateTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private final PageCacheEstimate likelyInMemory = new PageCacheEstimate(8 * MIB);
    private Segment segment;

    @BeforeEach
    void create() throws IOException {
        segment = Segment.create(folder, 1, UUID.randomUUID(), Runnable::run, () -> {});
        segment.bytes(64 * MIB);
    }

    @AfterEach
    void close() {
        segment.release();
    }

    @Test
    void onlyWhatWasTouchedLatelyIsLikely() {
        likelyInMemory.touch(segment, 3 * MIB, 1000);
        assertThat(likelyInMemory.holds(segment, 3 * MIB + 5, 10)).isTrue();
        assertThat(likelyInMemory.holds(segment, 20 * MIB, 10)).isFalse();

        for (int i = 10; i < 20; i++) {
            likelyInMemory.touch(segment, (long) i * MIB, MIB);
        }

        assertThat(likelyInMemory.holds(segment, 19 * MIB, 10)).isTrue();
        assertThat(likelyInMemory.holds(segment, 3 * MIB + 5, 10)).isFalse();
    }

    @Test
    void pagesTouchedLongAgoStayUnlikely() {
        likelyInMemory.touch(segment, 3 * MIB, 1000);
        for (int i = 0; i < 5000; i++) {
            likelyInMemory.touch(segment, (10 + i % 40) * (long) MIB, MIB);
            assertThat(i > 10 && likelyInMemory.holds(segment, 3 * MIB, 10)).isFalse();
        }
        assertThat(likelyInMemory.holds(segment, (10 + 4999 % 40) * (long) MIB, 10))
                .isTrue();
    }

    @Test
    void readThatHadToWaitMakesAllGuessesWorthless() {
        likelyInMemory.touch(segment, 3 * MIB, 1000);
        likelyInMemory.touch(segment, 5 * MIB, 1000);

        likelyInMemory.took(TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(likelyInMemory.holds(segment, 3 * MIB, 10)).isTrue();
        likelyInMemory.took(TimeUnit.MILLISECONDS.toNanos(30));
        assertThat(likelyInMemory.holds(segment, 3 * MIB, 10)).isFalse();

        likelyInMemory.touch(segment, 3 * MIB, 1000);
        assertThat(likelyInMemory.holds(segment, 3 * MIB, 10)).isTrue();
        assertThat(likelyInMemory.holds(segment, 5 * MIB, 10)).isFalse();
    }

    @Test
    void largeBodyIsLikelyOnlyIfTouchedWhole() {
        likelyInMemory.touch(segment, 2 * MIB, 1000);
        likelyInMemory.touch(segment, 5 * MIB, 1000);
        assertThat(likelyInMemory.holds(segment, 2 * MIB, 3 * MIB + 10)).isFalse();

        likelyInMemory.touch(segment, 3 * MIB, 2 * MIB);

        assertThat(likelyInMemory.holds(segment, 2 * MIB, 3 * MIB + 10)).isTrue();
    }
}
