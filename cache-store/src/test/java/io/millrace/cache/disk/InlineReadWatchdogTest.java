package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.disk.DiskHealth.Verdict;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * A thread that serves clients and stands still makes its disk one that hangs, in little more than a second; a slow
 * client does not.
 */
class InlineReadWatchdogTest {
    private static final Executor STANDS_STILL = question -> {};

    private final AtomicLong nanos = new AtomicLong();
    private final PauseAwareClock clock = new PauseAwareClock(nanos::get);
    private final InlineReadWatchdog glances = new InlineReadWatchdog(clock);
    private final TimeLimitedDiskReads disk = disk("one");

    @Test
    void hangingSendfileMakesTheDiskFail() {
        disk.begins(STANDS_STILL);

        assertThat(millisUntilFailing(disk)).isBetween(1000L, 2000L);
        assertThat(disk.health().why()).isEqualTo("a read hangs");
        assertThat(disk.hang()).as("no probe as long as it does").isTrue();
        disk.ends();
        assertThat(disk.hang()).isFalse();
    }

    @Test
    void hangingInlineReadMakesTheDiskFail() {
        disk.begins(null);

        assertThat(millisUntilFailing(disk)).isBetween(1000L, 2000L);
    }

    @Test
    void clientThatTakesNothingIsNoDiskThatHangs() {
        disk.begins(Runnable::run);

        assertThat(millisUntilFailing(disk)).isEqualTo(2000);
    }

    @Test
    void endedReadIsNotChargedForLaterWork() {
        TimeLimitedDiskReads other = disk("other");
        disk.begins(STANDS_STILL);
        other.begins(STANDS_STILL);

        assertThat(millisUntilFailing(disk)).isEqualTo(2000);
        assertThat(other.health().verdict()).isEqualTo(Verdict.FAILING);
    }

    @Test
    void endedReadIsNotTracked() {
        disk.begins(null);
        disk.ends();

        assertThat(millisUntilFailing(disk)).isEqualTo(2000);
    }

    /** 2000 if it does not fail. */
    private long millisUntilFailing(TimeLimitedDiskReads watched) {
        long begin = clock.nanos();
        long millis = 0;
        while (millis < 2000 && watched.health().verdict() == Verdict.GOOD) {
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(PauseAwareClock.STEP_MILLIS));
            clock.step();
            glances.check();
            millis = Math.min(2000, TimeUnit.NANOSECONDS.toMillis(clock.nanos() - begin));
        }
        return millis;
    }

    private TimeLimitedDiskReads disk(String name) {
        return new TimeLimitedDiskReads(name, new DiskHealth(Path.of(name)), clock, glances);
    }
}
