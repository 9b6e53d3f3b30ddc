package io.millrace.cache.disk.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.disk.io.DiskHealth.Verdict;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A thread that serves clients and stands still makes its disk one that hangs, in little more than a second; a slow client does not. */
class NonBlockingDiskAccessTest {
    private static final Executor STANDS_STILL = question -> {};

    private final PauseAwareClock clock = new PauseAwareClock();
    private final NonBlockingDiskAccess glances = new NonBlockingDiskAccess(clock);
    private final WatchedDiskReads disk = disk("one");

    @Test
    void tryToSendThatDoesNotComeBackIsADiskThatHangs() throws InterruptedException {
        disk.begins(STANDS_STILL);

        assertThat(millisUntilFailing(disk)).isBetween(1000L, 2000L);
        assertThat(disk.health().why()).isEqualTo("a read hangs");
        assertThat(disk.hang()).as("no probe as long as it does").isTrue();
        disk.ends();
        assertThat(disk.hang()).isFalse();
    }

    @Test
    void readThatDoesNotComeBackIsADiskThatHangs() throws InterruptedException {
        disk.begins(null);

        assertThat(millisUntilFailing(disk)).isBetween(1000L, 2000L);
    }

    @Test
    void clientThatTakesNothingIsNoDiskThatHangs() throws InterruptedException {
        disk.begins(Runnable::run);

        assertThat(millisUntilFailing(disk)).isEqualTo(2000);
    }

    @Test
    void diskIsNotBlamedForWhatItsThreadDoesNow() throws InterruptedException {
        WatchedDiskReads other = disk("other");
        disk.begins(STANDS_STILL);
        other.begins(STANDS_STILL);

        assertThat(millisUntilFailing(disk)).isEqualTo(2000);
        assertThat(other.health().verdict()).isEqualTo(Verdict.FAILING);
    }

    @Test
    void readThatEndsIsForgotten() throws InterruptedException {
        disk.begins(null);
        disk.ends();

        assertThat(millisUntilFailing(disk)).isEqualTo(2000);
    }

    /** 2000 if it does not fail. By the clock, which a busy machine's pauses advance by more than they were to be. */
    private long millisUntilFailing(WatchedDiskReads watched) throws InterruptedException {
        long begin = clock.nanos();
        long millis = 0;
        while (millis < 2000 && watched.health().verdict() == Verdict.GOOD) {
            Thread.sleep(PauseAwareClock.STEP_MILLIS);
            clock.step();
            glances.check();
            millis = Math.min(2000, TimeUnit.NANOSECONDS.toMillis(clock.nanos() - begin));
        }
        return millis;
    }

    private WatchedDiskReads disk(String name) {
        return new WatchedDiskReads(name, new DiskHealth(Path.of(name)), clock, glances);
    }
}
