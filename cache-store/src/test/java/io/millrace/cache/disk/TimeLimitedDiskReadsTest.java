package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class TimeLimitedDiskReadsTest {
    /** A disk is judged just when a read has left the queue and is not seen to run yet: then its clock is asked. */
    @Test
    void readBegunDuringTheVerdictIsAbandoned() throws Exception {
        AtomicReference<TimeLimitedDiskReads> judged = new AtomicReference<>();
        PauseAwareClock clock = new PauseAwareClock() {
            @Override
            long nanos() {
                TimeLimitedDiskReads readers = judged.get();
                if (readers != null && Thread.currentThread().getName().contains("-reader-")) {
                    readers.hangs();
                }
                return super.nanos();
            }
        };
        TimeLimitedDiskReads readers =
                new TimeLimitedDiskReads("disk", new DiskHealth(Path.of("disk")), clock, new InlineReadWatchdog(clock));
        judged.set(readers);
        CompletableFuture<String> end = new CompletableFuture<>();

        readers.read(new AbandonableDiskRead() {
            @Override
            public void run() {
                end.complete("it was read");
            }

            @Override
            public void complete() {}

            @Override
            public void giveUp(boolean begun) {
                end.complete(begun ? "it was left to its thread" : "it was given up");
            }
        });

        assertThat(end.get(60, TimeUnit.SECONDS)).isEqualTo("it was given up");
        awaitEnd(readers);
    }

    @Test
    void workOfTenSecondsMakesTheDiskFail() throws Exception {
        AtomicLong now = new AtomicLong(1);
        TimeLimitedDiskReads readers = readers(now);
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch thawed = new CountDownLatch(1);
        CompletableFuture<Boolean> givenUp = new CompletableFuture<>();
        CompletableFuture<Thread> toldBy = new CompletableFuture<>();
        readers.work(new AbandonableDiskRead() {
            @Override
            public void run() {
                began.countDown();
                awaitQuietly(thawed);
            }

            @Override
            public void complete() {}

            @Override
            public void giveUp(boolean begun) {
                toldBy.complete(Thread.currentThread());
                givenUp.complete(begun);
            }
        });
        assertThat(began.await(60, TimeUnit.SECONDS)).isTrue();

        now.addAndGet(DiskHealth.WORK_DEADLINE);
        readers.check();
        assertThat(readers.areBypassed()).isFalse();
        now.addAndGet(1);
        readers.check();

        assertThat(readers.areBypassed()).isTrue();
        assertThat(givenUp.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(toldBy.get(60, TimeUnit.SECONDS)).as("who watches goes on").isNotEqualTo(Thread.currentThread());
        assertThat(readers.hang()).isTrue();
        thawed.countDown();
        awaitEnd(readers);
        assertThat(readers.hang()).isFalse();
    }

    /** Whoever is told of a read computes for an hour, on the thread that has read. */
    @Test
    void timeAfterTheReadDoesNotCount() throws Exception {
        AtomicLong now = new AtomicLong(1);
        TimeLimitedDiskReads readers = readers(now);
        for (boolean work : new boolean[] {false, true}) {
            CountDownLatch computes = new CountDownLatch(1);
            CountDownLatch computed = new CountDownLatch(1);
            AbandonableDiskRead task = new AbandonableDiskRead() {
                @Override
                public void run() {}

                @Override
                public void complete() {
                    computes.countDown();
                    awaitQuietly(computed);
                }

                @Override
                public void giveUp(boolean begun) {}
            };
            if (work) {
                readers.work(task);
            } else {
                readers.read(task);
            }
            assertThat(computes.await(60, TimeUnit.SECONDS)).isTrue();

            now.addAndGet(TimeUnit.HOURS.toNanos(1));
            readers.check();

            assertThat(readers.areBypassed()).isFalse();
            assertThat(readers.hang()).isFalse();
            computed.countDown();
        }
        assertThat(readers.close()).isTrue();
    }

    /** Forces are: a disk's writer waits for them. */
    @Test
    void queuedWorkDoesNotDelayOtherTasks() throws Exception {
        PauseAwareClock clock = new PauseAwareClock();
        TimeLimitedDiskReads readers =
                new TimeLimitedDiskReads("disk", new DiskHealth(Path.of("disk")), clock, new InlineReadWatchdog(clock));
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger atWork = new AtomicInteger();
        CountDownLatch givenUp = new CountDownLatch(20 - TimeLimitedDiskReads.MOST_WORKING);
        for (int i = 0; i < 20; i++) {
            readers.work(new AbandonableDiskRead() {
                @Override
                public void run() {
                    atWork.incrementAndGet();
                    awaitQuietly(end);
                }

                @Override
                public void complete() {}

                @Override
                public void giveUp(boolean begun) {
                    givenUp.countDown();
                }
            });
        }
        CompletableFuture<Integer> forced = new CompletableFuture<>();
        readers.execute(() -> forced.complete(atWork.get()));

        assertThat(forced.get(60, TimeUnit.SECONDS)).isLessThanOrEqualTo(TimeLimitedDiskReads.MOST_WORKING);
        CompletableFuture<Boolean> closed = CompletableFuture.supplyAsync(() -> close(readers));
        assertThat(givenUp.await(60, TimeUnit.SECONDS))
                .as("nobody waits for them at the end")
                .isTrue();
        end.countDown();
        assertThat(closed.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(atWork).hasValue(TimeLimitedDiskReads.MOST_WORKING);
    }

    @Test
    void onlyTheWriterReportsProgressOfAWrite() throws Exception {
        AtomicLong now = new AtomicLong(1);
        TimeLimitedDiskReads readers = readers(now);
        readers.writerHeartbeat().begin();
        now.addAndGet(DiskHealth.WRITE_DEADLINE + 1);

        CompletableFuture.runAsync(readers::writerProgressed).get(60, TimeUnit.SECONDS);
        assertThat(readers.writerHeartbeat().hangNanos()).isPositive();

        readers.writerProgressed();
        assertThat(readers.writerHeartbeat().hangNanos()).isZero();
        assertThat(readers.close()).isTrue();
    }

    /** Closes them until all have ended: of a disk that is bypassed a close waits a second only. */
    private static void awaitEnd(TimeLimitedDiskReads readers) {
        Polling.until("they have ended", readers::close);
    }

    /** @param now what their clock shows, in nanoseconds */
    private static TimeLimitedDiskReads readers(AtomicLong now) {
        PauseAwareClock clock = new PauseAwareClock() {
            @Override
            long nanos() {
                return now.get();
            }
        };
        return new TimeLimitedDiskReads("disk", new DiskHealth(Path.of("disk")), clock, new InlineReadWatchdog(clock));
    }

    private static boolean close(TimeLimitedDiskReads readers) {
        try {
            return readers.close();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
