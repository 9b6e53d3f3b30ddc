package io.millrace.backend.testkit.interleaving;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Reactor scheduler for a round of {@link InterleavingSearch}: each task has its own thread, so that it may run at any
 * moment. Delayed tasks wait until the round lets {@link #runDelayed time pass}.
 */
final class InterleavedScheduler implements Scheduler, Schedulers.Factory {
    private final Deque<Thread> begun = new ArrayDeque<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private int failed;

    @Override
    public Scheduler newParallel(int parallelism, ThreadFactory threads) {
        return this;
    }

    void reset() {
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

    /** Waits for all tasks that have begun, and those they begin; returns whether all ended normally. */
    boolean join() throws InterruptedException {
        for (Thread next = nextThread(); next != null; next = nextThread()) {
            next.join();
        }
        return failed == 0;
    }

    /** Runs what is scheduled for later now, one after another, but not what that schedules. */
    void runDelayed() {
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
                return InterleavedScheduler.this.schedule(task);
            }

            @Override
            public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
                return InterleavedScheduler.this.schedule(task, delay, unit);
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
