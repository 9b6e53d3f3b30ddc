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
class ResidencyTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private final Residency residency = new Residency(8 * MIB);
    private Segment segment;

    @BeforeEach
    void create() throws IOException {
        segment = Segment.create(
                folder, 1, UUID.randomUUID(), new Segment.Home(Runnable::run, () -> 0, () -> {}), () -> {});
        segment.bytes(64 * MIB);
    }

    @AfterEach
    void close() {
        segment.release();
    }

    @Test
    void onlyWhatWasTouchedLatelyIsLikely() {
        residency.touch(segment, 3 * MIB, 1000);
        assertThat(residency.isLikely(segment, 3 * MIB + 5, 10)).isTrue();
        assertThat(residency.isLikely(segment, 20 * MIB, 10)).isFalse();

        for (int i = 10; i < 20; i++) {
            residency.touch(segment, (long) i * MIB, MIB);
        }

        assertThat(residency.isLikely(segment, 19 * MIB, 10)).isTrue();
        assertThat(residency.isLikely(segment, 3 * MIB + 5, 10)).isFalse();
    }

    @Test
    void whatWasTouchedLongAgoNeverBecomesLikelyAgain() {
        residency.touch(segment, 3 * MIB, 1000);
        for (int i = 0; i < 5000; i++) {
            residency.touch(segment, (10 + i % 40) * (long) MIB, MIB);
            assertThat(i > 10 && residency.isLikely(segment, 3 * MIB, 10)).isFalse();
        }
        assertThat(residency.isLikely(segment, (10 + 4999 % 40) * (long) MIB, 10))
                .isTrue();
    }

    @Test
    void readThatHadToWaitMakesAllGuessesWorthless() {
        residency.touch(segment, 3 * MIB, 1000);
        residency.touch(segment, 5 * MIB, 1000);

        residency.took(TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(residency.isLikely(segment, 3 * MIB, 10)).isTrue();
        residency.took(TimeUnit.MILLISECONDS.toNanos(30));
        assertThat(residency.isLikely(segment, 3 * MIB, 10)).isFalse();

        residency.touch(segment, 3 * MIB, 1000);
        assertThat(residency.isLikely(segment, 3 * MIB, 10)).isTrue();
        assertThat(residency.isLikely(segment, 5 * MIB, 10)).isFalse();
    }

    @Test
    void largeBodyIsLikelyOnlyIfAllOfItWasTouched() {
        residency.touch(segment, 2 * MIB, 1000);
        residency.touch(segment, 5 * MIB, 1000);
        assertThat(residency.isLikely(segment, 2 * MIB, 3 * MIB + 10)).isFalse();

        residency.touch(segment, 3 * MIB, 2 * MIB);

        assertThat(residency.isLikely(segment, 2 * MIB, 3 * MIB + 10)).isTrue();
    }
}
