package io.millrace.cache.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A disk is told to be slower than the backend when it is, for the same bytes, lately. */
class PaceTest {
    private final AtomicLong now = new AtomicLong(TimeUnit.HOURS.toNanos(5));
    private final Pace disk = new Pace(now::get);
    private final Pace backend = new Pace(now::get);

    @Test
    void whatTakesThriceAsLongIsSlower() {
        read(disk, 30, 1 << 20, 30);
        read(backend, 30, 1 << 20, 10);

        assertThat(disk.times(backend)).isEqualTo(3);
        assertThat(Pace.isSlower(disk.times(backend))).isTrue();
        assertThat(Pace.isSlower(backend.times(disk))).isFalse();
    }

    @Test
    void onlyReadsOfASizeAreCompared() {
        read(disk, 30, 1 << 20, 30);
        read(backend, 30, 4096, 1);

        assertThat(disk.times(backend)).isZero();
    }

    @Test
    void fewReadsTellNothing() {
        read(disk, 19, 4096, 30);
        read(backend, 30, 4096, 1);

        assertThat(disk.times(backend)).isZero();
    }

    @Test
    void whatWasSlowSixMinutesAgoIsForgotten() {
        read(disk, 30, 4096, 30);
        read(backend, 30, 4096, 10);
        now.addAndGet(TimeUnit.MINUTES.toNanos(6));
        assertThat(disk.times(backend)).isZero();

        read(disk, 30, 4096, 10);
        read(backend, 30, 4096, 10);

        assertThat(disk.times(backend)).isEqualTo(1);
    }

    private static void read(Pace pace, int times, long bytes, long millis) {
        for (int i = 0; i < times; i++) {
            pace.took(bytes, TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }
}
