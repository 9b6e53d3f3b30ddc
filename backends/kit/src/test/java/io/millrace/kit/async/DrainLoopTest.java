package io.millrace.kit.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class DrainLoopTest {
    @Test
    void aSignalDuringTheWorkRunsItOnceMore() {
        AtomicInteger runs = new AtomicInteger();
        DrainLoop[] self = new DrainLoop[1];
        self[0] = new DrainLoop(() -> {
            if (runs.incrementAndGet() == 1) {
                self[0].signal();
                self[0].signal();
                assertThat(runs).hasValue(1);
            }
            return true;
        });

        self[0].signal();
        assertThat(runs).hasValue(2);

        self[0].signal();
        assertThat(runs).hasValue(3);
    }

    @Test
    void unfinishedWorkRunsAgainAfterOtherTasks() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        AtomicInteger runs = new AtomicInteger();
        DrainLoop loop = new DrainLoop(tasks::add, () -> runs.incrementAndGet() == 2, () -> {});

        loop.signal();
        loop.signal();
        assertThat(tasks).hasSize(1);

        tasks.remove().run();
        assertThat(runs).hasValue(1);
        assertThat(tasks).hasSize(1);

        tasks.remove().run();
        assertThat(runs.get()).isBetween(2, 3);
        assertThat(tasks).isEmpty();
    }

    @Test
    void aClosedExecutorIsReportedOnce() {
        AtomicInteger rejections = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        DrainLoop loop = new DrainLoop(
                task -> {
                    throw new RejectedExecutionException("closed");
                },
                () -> runs.incrementAndGet() > 0,
                rejections::incrementAndGet);

        loop.signal();
        loop.signal();

        assertThat(rejections).hasValue(1);
        assertThat(runs).hasValue(0);
    }

    @Test
    void processesEverySignalWithoutOverlap() throws Exception {
        AtomicInteger signalled = new AtomicInteger();
        AtomicInteger processed = new AtomicInteger();
        AtomicBoolean running = new AtomicBoolean();
        AtomicBoolean overlapped = new AtomicBoolean();
        DrainLoop loop = new DrainLoop(() -> {
            overlapped.compareAndSet(false, !running.compareAndSet(false, true));
            processed.set(signalled.get());
            running.set(false);
            return true;
        });
        ExecutorService threads = Executors.newFixedThreadPool(4);
        CountDownLatch done = new CountDownLatch(4);
        for (int thread = 0; thread < 4; thread++) {
            threads.execute(() -> {
                for (int i = 0; i < 20_000; i++) {
                    signalled.incrementAndGet();
                    loop.signal();
                }
                done.countDown();
            });
        }

        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        threads.shutdown();
        assertThat(processed).hasValue(80_000);
        assertThat(overlapped).isFalse();
    }
}
