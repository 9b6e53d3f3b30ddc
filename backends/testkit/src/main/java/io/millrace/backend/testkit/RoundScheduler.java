package io.millrace.backend.testkit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Reactor's threads in a round of {@link Schedules}: each task has one of its own, so that it comes at any moment. What is
 * scheduled for later waits until the round {@link #passTime lets time pass}.
 */
final class RoundScheduler implements Scheduler, Schedulers.Factory {
    private final Deque<Thread> begun = new ArrayDeque<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private int failed;

    @Override
    public Scheduler newParallel(int parallelism, ThreadFactory threads) {
        return this;
    }

    void begin() {
        begun.clear();
        later.clear();
        failed = 0;
    }

    @Override
    public Disposable schedule(Runnable task) {
        Thread thread = new Thread(() -> {
            boolean ended = false;
            try {
                task.run();
                ended = true;
            } finally {
                if (!ended) {
                    failed();
                }
            }
        });
        synchronized (this) {
            begun.add(thread);
        }
        thread.start();
        return () -> {};
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        synchronized (this) {
            later.add(task);
        }
        return () -> forget(task);
    }

    private synchronized void forget(Runnable task) {
        later.remove(task);
    }

    private synchronized void failed() {
        failed++;
    }

    /** Waits for all tasks that have begun, and those they begin; whether they all ended as they should. */
    boolean join() throws InterruptedException {
        for (Thread next = nextThread(); next != null; next = nextThread()) {
            next.join();
        }
        return failed == 0;
    }

    /** Runs what is scheduled for later now, one after another, but not what that schedules. */
    void passTime() {
        Deque<Runnable> due;
        synchronized (this) {
            due = new ArrayDeque<>(later);
            later.clear();
        }
        due.forEach(Runnable::run);
    }

    private synchronized @Nullable Thread nextThread() {
        return begun.poll();
    }

    @Override
    public Worker createWorker() {
        return new Worker() {
            @Override
            public Disposable schedule(Runnable task) {
                return RoundScheduler.this.schedule(task);
            }

            @Override
            public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
                return RoundScheduler.this.schedule(task, delay, unit);
            }

            @Override
            public void dispose() {
                // As below.
            }
        };
    }

    @Override
    public void dispose() {
        // There is nothing that outlives a round.
    }
}
