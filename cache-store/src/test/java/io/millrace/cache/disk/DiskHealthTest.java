package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.disk.DiskHealth.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The rules by which a disk is bypassed, used again, and lost. */
class DiskHealthTest {
    private final AtomicLong nanoTime = new AtomicLong();
    private final DiskHealth health = new DiskHealth(Path.of("disk"), nanoTime::get);
    private final IOException error = new IOException("Input/output error");

    @Test
    void threeFailedReadsMakeTheDiskFail() {
        assertThat(health.readFailed(error)).isFalse();
        assertThat(health.readFailed(error)).isFalse();
        assertThat(health.verdict()).isEqualTo(Verdict.GOOD);

        assertThat(health.readFailed(error)).isTrue();

        assertThat(health.verdict()).isEqualTo(Verdict.FAILING);
        assertThat(health.why()).contains("Input/output error");
        assertThat(health.readFailed(error)).as("told once").isFalse();
    }

    @Test
    void successfulProbeMakesTheDiskHealthy() {
        health.fails("a read hangs");
        assertThat(health.wantsProbe()).isFalse();
        passes(Duration.ofMillis(1100));
        assertThat(health.wantsProbe()).isTrue();

        health.probePassed();

        assertThat(health.verdict()).isEqualTo(Verdict.GOOD);
        assertThat(health.why()).isEmpty();
        health.fails("again");
        passes(Duration.ofMillis(1100));
        assertThat(health.wantsProbe()).as("it waits longer each time").isFalse();
        passes(Duration.ofSeconds(1));
        assertThat(health.wantsProbe()).isTrue();
    }

    @Test
    void oneProbeThatFailsDoesNotLoseIt() {
        health.fails("a read hangs");

        assertThat(health.probeFailed("Input/output error")).isFalse();
        assertThat(health.verdict()).isEqualTo(Verdict.FAILING);
    }

    @Test
    void lostDiskStaysLost() {
        assertThat(health.lost("another disk lies there")).isTrue();
        assertThat(health.lost("again")).isFalse();
        health.probePassed();
        assertThat(health.fails("a read hangs")).isFalse();

        assertThat(health.verdict()).isEqualTo(Verdict.LOST);
        assertThat(health.why()).isEqualTo("another disk lies there");
    }

    private void passes(Duration time) {
        nanoTime.addAndGet(time.toNanos());
    }
}
