package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Thread pool on which a backend opens, reads, lists and writes files. Never interrupts a task when its reader leaves,
 * as Reactor's schedulers would: an interrupt closes the channel that the thread reads. Each reader has at most one
 * task here, so the queue is no longer than the number of readers.
 */
final class FileThreadPool implements Executor {
    /** Number of threads that keep an NVMe disk busy; more would only wait in its queue. */
    static final int THREADS = 16;

    private static final Duration IDLE = Duration.ofSeconds(30);

    private final ThreadPoolExecutor threads;
    private final Function<IOException, BackendException> errorMapping;

    /**
     * @param name prefix of the thread names, after {@code file-}
     * @param size maximum number of threads
     * @param errors maps failures of the file system to backend errors
     */
    FileThreadPool(String name, int size, Function<IOException, BackendException> errors) {
        this.errorMapping = errors;
        threads = DaemonThreads.pool("file-%s-".formatted(name), size, IDLE, new LinkedBlockingQueue<>());
    }

    /**
     * @throws RejectedExecutionException if the backend is closed
     */
    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /**
     * Returns the result of {@code call}, run on a thread of the pool. Not for results that must be closed: a late one
     * is dropped.
     */
    <T> Mono<T> call(Callable<T> call) {
        return Mono.create(sink -> {
            AtomicBoolean givenUp = new AtomicBoolean();
            sink.onCancel(() -> givenUp.set(true));
            try {
                threads.execute(() -> {
                    if (!givenUp.get()) {
                        run(call, sink);
                    }
                });
            } catch (RejectedExecutionException e) {
                sink.error(closedError());
            }
        });
    }

    void close() {
        threads.shutdown();
    }

    static BackendException closedError() {
        return new BackendException(FailureKind.UNAVAILABLE, "the backend is closed");
    }

    /** Maps any failure to a backend error. */
    BackendException toBackendException(Throwable failure) {
        if (failure instanceof BackendException mapped) {
            return mapped;
        }
        return failure instanceof IOException e
                ? errorMapping.apply(e)
                : new BackendException(FailureKind.UNEXPECTED, "working with files failed", failure);
    }

    private <T> void run(Callable<T> call, MonoSink<T> sink) {
        try {
            sink.success(call.call());
        } catch (Exception | Error e) { // an Error too, or the request would wait for ever
            sink.error(toBackendException(e));
        }
    }
}
