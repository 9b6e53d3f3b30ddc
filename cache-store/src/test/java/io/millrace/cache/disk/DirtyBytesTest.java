package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import java.io.IOException;
import java.lang.Thread.State;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A power cut takes a bounded part of what was written last, and what waits to be forced keeps no room. */
class DirtyBytesTest {
    @TempDir
    Path folder;

    private final AtomicInteger seen = new AtomicInteger();
    private final DirtyBytes unforced = new DirtyBytes(8 * DirtyBytes.MOST, seen::incrementAndGet);

    @Test
    void writerAboveTheLimitWaits() throws Exception {
        unforced.begin(unforced.atOnce());
        unforced.awaitCapacity(unforced.atOnce());
        CompletableFuture<Void> more = waitFor(unforced.atOnce() + 1);
        CompletableFuture<Void> all = CompletableFuture.runAsync(() -> wait(unforced::awaitAll));

        assertThat(more).isNotDone();
        assertThat(all).isNotDone();
        unforced.end(unforced.atOnce());

        assertThat(more).succeedsWithin(60, TimeUnit.SECONDS);
        assertThat(all).succeedsWithin(60, TimeUnit.SECONDS);
    }

    @Test
    void waitingWriterReportsProgress() throws Exception {
        unforced.begin(2);
        CompletableFuture<Void> all = CompletableFuture.runAsync(() -> wait(unforced::awaitAll));

        Polling.until("whoever waits sees one", () -> {
            // The first may have come before anybody waited.
            unforced.begin(1);
            unforced.end(1);
            return seen.get() > 0;
        });

        assertThat(all).isNotDone();
        unforced.end(2);
        assertThat(all).succeedsWithin(60, TimeUnit.SECONDS);
    }

    @Test
    void oversizedWriteProceedsAlone() throws Exception {
        assertThat(waitFor(2 * DirtyBytes.MOST)).succeedsWithin(60, TimeUnit.SECONDS);
    }

    /** Else what is removed keeps its room until it is forced, and more goes in its place than has to. */
    @Test
    void writerWaitsForASlowDisk() throws Exception {
        WriteBudget endless = new WriteBudget(Optional.empty(), System::nanoTime);
        try (TestLog log = new TestLog(folder.resolve("disk"), 32, endless, TestLog.parts())) {
            log.hold();
            Thread writer = new Thread(() -> wait(() -> {
                for (int i = 0; i < 10_000; i++) {
                    log.add(i, 0);
                    log.flush();
                }
            }));
            writer.start();

            while (writer.isAlive()) {
                Polling.until("it waits", () -> !writer.isAlive() || writer.getState() == State.WAITING);
                // Of a segment at most, which has 1 MiB, and often of a part of it.
                assertThat(log.held()).isLessThanOrEqualTo(32 / 4);
                log.force();
            }
        }
    }

    private CompletableFuture<Void> waitFor(long bytes) {
        return CompletableFuture.runAsync(() -> wait(() -> unforced.awaitCapacity(bytes)));
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
