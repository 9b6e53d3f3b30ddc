package io.millrace.cache.metadata;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/**
 * Raises the stale epoch for operations that the metadata store does not do in time, on a thread that never waits for
 * the store: once for all that wait, so that a hanging disk delays each by two rounds at most. Thread-safe.
 */
final class EpochRaiser {
    private final StaleEpoch epochs;
    private final ExecutorService thread;
    private final Queue<Waiter> waiting = new ConcurrentLinkedQueue<>();

    /** The callbacks of an operation that waits for the stale epoch to be raised. */
    private record Waiter(Runnable done, Consumer<Throwable> failed) {}

    EpochRaiser(StaleEpoch epochs) {
        this(epochs, Executors.newSingleThreadExecutor(new DefaultThreadFactory("metadata-epoch", true)));
    }

    EpochRaiser(StaleEpoch epochs, ExecutorService thread) {
        this.epochs = epochs;
        this.thread = thread;
    }

    /** Raises the stale epoch; completes when that is durable. */
    Mono<Void> raised() {
        return Mono.create(sink -> raise(sink::success, sink::error));
    }

    /** Raises the stale epoch, and calls one of the two when that is durable or has failed. */
    void raise(Runnable done, Consumer<Throwable> failed) {
        waiting.add(new Waiter(done, failed));
        try {
            thread.execute(this::raiseForAll);
        } catch (RejectedExecutionException closing) {
            failed.accept(closing);
        }
    }

    private void raiseForAll() {
        List<Waiter> waiters = new ArrayList<>();
        for (Waiter each = waiting.poll(); each != null; each = waiting.poll()) {
            waiters.add(each);
        }
        if (!waiters.isEmpty()) {
            StoreOperation raise = epochs::raise;
            raise.run(
                    () -> waiters.forEach(waiter -> waiter.done().run()),
                    failure -> waiters.forEach(waiter -> waiter.failed().accept(failure)));
        }
    }

    /** Raises the stale epoch on the caller's thread; blocks. */
    void raiseNow() throws IOException {
        epochs.raise();
    }

    /** Takes no further operations. */
    void shutdown() {
        thread.shutdown();
    }

    /** Waits until all waiting operations have ended, for so long at most; returns whether they have. */
    boolean awaitEnd(long seconds) throws InterruptedException {
        return thread.awaitTermination(seconds, TimeUnit.SECONDS);
    }
}
