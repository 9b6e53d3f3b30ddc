package io.millrace.cache.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A disk counts as slower than the backend only for recent reads of the same size. */
class LatencyWindowTest {
    private final AtomicLong now = new AtomicLong(TimeUnit.HOURS.toNanos(5));
    private final LatencyWindow disk = new LatencyWindow(now::get);
    private final LatencyWindow backend = new LatencyWindow(now::get);

    @Test
    void threefoldLatencyIsSlower() {
        read(disk, 30, 1 << 20, 30);
        read(backend, 30, 1 << 20, 10);

        assertThat(disk.ratioTo(backend)).isEqualTo(3);
        assertThat(LatencyWindow.isSlower(disk.ratioTo(backend))).isTrue();
        assertThat(LatencyWindow.isSlower(backend.ratioTo(disk))).isFalse();
    }

    @Test
    void onlyReadsOfASizeAreCompared() {
        read(disk, 30, 1 << 20, 30);
        read(backend, 30, 4096, 1);

        assertThat(disk.ratioTo(backend)).isZero();
    }

    @Test
    void fewReadsGiveNoRatio() {
        read(disk, 19, 4096, 30);
        read(backend, 30, 4096, 1);

        assertThat(disk.ratioTo(backend)).isZero();
    }

    @Test
    void ignoresLatenciesOlderThanFiveMinutes() {
        read(disk, 30, 4096, 30);
        read(backend, 30, 4096, 10);
        now.addAndGet(TimeUnit.MINUTES.toNanos(6));
        assertThat(disk.ratioTo(backend)).isZero();

        read(disk, 30, 4096, 10);
        read(backend, 30, 4096, 10);

        assertThat(disk.ratioTo(backend)).isEqualTo(1);
    }

    private static void read(LatencyWindow window, int times, long bytes, long millis) {
        for (int i = 0; i < times; i++) {
            window.record(bytes, TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }
}
