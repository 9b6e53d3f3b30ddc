package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A power cut takes a bounded part of what was written last, and what waits to be forced keeps no room. */
class UnforcedTest {
    @TempDir
    Path folder;

    private final AtomicInteger seen = new AtomicInteger();
    private final Unforced unforced = new Unforced(seen::incrementAndGet);

    @Test
    void whoWouldWriteTooMuchWaitsForWhatIsUnderWay() throws Exception {
        unforced.begin(Unforced.AT_ONCE);
        unforced.awaitRoomFor(Unforced.AT_ONCE);
        CompletableFuture<Void> more = waitFor(Unforced.AT_ONCE + 1);
        CompletableFuture<Void> all = CompletableFuture.runAsync(() -> wait(unforced::awaitAll));

        assertThat(more).isNotDone();
        assertThat(all).isNotDone();
        unforced.end(Unforced.AT_ONCE);

        assertThat(more).succeedsWithin(5, TimeUnit.SECONDS);
        assertThat(all).succeedsWithin(5, TimeUnit.SECONDS);
    }

    @Test
    void whoWaitsTellsOfEachPieceThatCameToTheDisk() throws Exception {
        unforced.begin(2);
        CompletableFuture<Void> all = CompletableFuture.runAsync(() -> wait(unforced::awaitAll));

        while (seen.get() == 0) {
            // The first may have come before anybody waited.
            unforced.begin(1);
            unforced.end(1);
            Thread.sleep(1);
        }

        assertThat(all).isNotDone();
        unforced.end(2);
        assertThat(all).succeedsWithin(5, TimeUnit.SECONDS);
    }

    @Test
    void whatIsTooMuchByItselfIsWrittenAlone() throws Exception {
        assertThat(waitFor(2 * Unforced.MOST)).succeedsWithin(5, TimeUnit.SECONDS);
    }

    @Test
    void whatWaitsToBeForcedKeepsNoRoomWhenItIsRemoved() throws IOException {
        WriteBudget endless = new WriteBudget(Optional.empty(), System::nanoTime);
        try (TestLog log = new TestLog(folder.resolve("disk"), 6, endless, TestLog.parts())) {
            log.hold();
            for (int i = 0; i < 3000; i++) {
                log.add(i, 0);
                log.flush();
            }

            assertThat(log.isHeld()).isFalse();
        }
    }

    private CompletableFuture<Void> waitFor(long bytes) {
        return CompletableFuture.runAsync(() -> wait(() -> unforced.awaitRoomFor(bytes)));
    }

    /** What waits. */
    @FunctionalInterface
    private interface Wait {
        void run() throws IOException;
    }

    private static void wait(Wait wait) {
        try {
            wait.run();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
