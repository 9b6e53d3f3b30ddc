package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The threads of one backend, on which all its files are opened, read and listed. No task is ever interrupted: an interrupt
 * closes the channel that a thread is reading, and cancelled readers are the daily bread of a gateway. A reader has one task
 * here at most, so that the queue is as long as there are readers.
 */
final class FilePool implements Executor {
    /** What keeps an NVMe disk busy; more threads only wait in its queue. */
    private static final int THREADS = 16;

    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor threads;
    private final Scheduler scheduler;

    FilePool(String backend) {
        AtomicLong number = new AtomicLong();
        threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "file-%s-%d".formatted(backend, number.incrementAndGet()));
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        // From an Executor, not an ExecutorService: the latter's tasks are interrupted when their subscriber leaves.
        scheduler = Schedulers.fromExecutor(this);
    }

    /**
     * @throws RejectedExecutionException if the backend is closed
     */
    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /** What {@code call} answers, on a thread of the pool. Not for what must be closed: a late answer is dropped. */
    <T> Mono<T> call(Callable<T> call) {
        return Mono.fromCallable(call)
                .subscribeOn(scheduler)
                .onErrorMap(RejectedExecutionException.class, e -> closed());
    }

    void close() {
        threads.shutdown();
    }

    static BackendException closed() {
        return new BackendException(Kind.UNAVAILABLE, "the backend is closed");
    }
}
