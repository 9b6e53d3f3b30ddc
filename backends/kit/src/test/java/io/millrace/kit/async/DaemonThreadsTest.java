package io.millrace.kit.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {
    @Test
    void threadHasItsNameAndDoesNotKeepTheProcessAlive() throws InterruptedException {
        List<String> names = new ArrayList<>();

        Thread thread = DaemonThreads.start(
                "one", () -> names.add(Thread.currentThread().getName()));
        thread.join();

        assertThat(names).containsExactly("one");
        assertThat(thread.isDaemon()).isTrue();
        assertThat(DaemonThreads.create("later", () -> names.add("started")).isAlive())
                .isFalse();
        assertThat(names).containsExactly("one");
    }

    @Test
    void executorsOfOneThreadNameIt() throws Exception {
        ExecutorService single = DaemonThreads.single("single");
        ScheduledExecutorService timer = DaemonThreads.timer("timer");
        try {
            assertThat(CompletableFuture.supplyAsync(DaemonThreadsTest::describe, single)
                            .get())
                    .isEqualTo("single daemon");
            assertThat(timer.schedule(DaemonThreadsTest::describe, 1, TimeUnit.MILLISECONDS)
                            .get())
                    .isEqualTo("timer daemon");
        } finally {
            single.shutdown();
            timer.shutdown();
        }
    }

    @Test
    void poolNumbersItsThreadsAndRejectsWhatItsQueueDoesNotHold() throws InterruptedException {
        ThreadPoolExecutor pool = DaemonThreads.pool("pool-", 2, Duration.ofSeconds(1), new ArrayBlockingQueue<>(1));
        Set<String> names = ConcurrentHashMap.newKeySet();
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        Runnable work = () -> {
            names.add(describe());
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        pool.execute(work);
        pool.execute(work);
        begun.await();
        pool.execute(work);

        assertThatThrownBy(() -> pool.execute(work)).isInstanceOf(RejectedExecutionException.class);
        assertThat(names).containsExactlyInAnyOrder("pool-1 daemon", "pool-2 daemon");

        end.countDown();
        pool.shutdown();
        assertThat(pool.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    private static String describe() {
        Thread thread = Thread.currentThread();
        return thread.getName() + (thread.isDaemon() ? " daemon" : "");
    }
}
