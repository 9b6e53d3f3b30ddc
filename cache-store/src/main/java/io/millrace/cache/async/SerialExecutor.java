package io.millrace.cache.async;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs tasks one after another, each on a thread of one of the callers. Tasks of other threads queue while one runs.
 */
public final class SerialExecutor {
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Consumer<Throwable> failed;

    /** @param failed called, within the sequence, with each exception of a task; later tasks still run */
    public SerialExecutor(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    /** Runs a task now, or after the queued tasks if another thread is running them. A task may add tasks. */
    public void run(Runnable step) {
        steps.add(step);
        if (waiting.getAndIncrement() != 0) {
            return;
        }
        do {
            Runnable next = steps.poll();
            if (next != null) {
                runOne(next);
            }
        } while (waiting.decrementAndGet() != 0);
    }

    private void runOne(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            failed.accept(e);
        }
    }
}
