package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Threads of one backend, on which its files are opened, read, listed and written. No task is ever interrupted when its reader
 * leaves, as Reactor's schedulers over an executor service would do: an interrupt closes the channel that the thread reads. A reader has one task
 * here at most, so that the queue is as long as there are readers.
 */
final class FilePool implements Executor {
    /** What keeps an NVMe disk busy; more threads only wait in its queue. */
    static final int THREADS = 16;

    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor threads;
    private final Function<IOException, BackendException> errors;

    /**
     * @param name of its threads, behind {@code file-}
     * @param size how many there are at most
     * @param errors what a failure of the file system means to whoever asked
     */
    FilePool(String name, int size, Function<IOException, BackendException> errors) {
        this.errors = errors;
        AtomicLong number = new AtomicLong();
        threads = new ThreadPoolExecutor(
                size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "file-%s-%d".formatted(name, number.incrementAndGet()));
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
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
        return Mono.create(answer -> {
            AtomicBoolean givenUp = new AtomicBoolean();
            answer.onCancel(() -> givenUp.set(true));
            try {
                threads.execute(() -> {
                    if (!givenUp.get()) {
                        answer(call, answer);
                    }
                });
            } catch (RejectedExecutionException e) {
                answer.error(closed());
            }
        });
    }

    void close() {
        threads.shutdown();
    }

    static BackendException closed() {
        return new BackendException(Kind.UNAVAILABLE, "the backend is closed");
    }

    /** What is told of a failure. */
    BackendException failure(Throwable failure) {
        if (failure instanceof BackendException told) {
            return told;
        }
        return failure instanceof IOException e
                ? errors.apply(e)
                : new BackendException(Kind.UNEXPECTED, "working with files failed", failure);
    }

    private <T> void answer(Callable<T> call, MonoSink<T> answer) {
        try {
            answer.success(call.call());
        } catch (Exception | Error e) { // an Error too, or the request would wait for ever
            answer.error(failure(e));
        }
    }
}
