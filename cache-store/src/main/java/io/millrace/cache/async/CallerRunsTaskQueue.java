package io.millrace.cache.async;

import io.millrace.kit.async.DrainLoop;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * A queue of tasks that run one after another, each on the thread of a caller that added one. Tasks of other threads
 * queue while one runs.
 */
public final class CallerRunsTaskQueue {
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    private final DrainLoop loop = new DrainLoop(this::runQueued);
    private final Consumer<Throwable> failed;

    /** @param failed called, within the sequence, with each exception of a task; later tasks still run */
    public CallerRunsTaskQueue(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    /** Runs a task now, or after the queued tasks if another thread is running them. A task may add tasks. */
    public void run(Runnable step) {
        steps.add(step);
        loop.signal();
    }

    private boolean runQueued() {
        for (Runnable next = steps.poll(); next != null; next = steps.poll()) {
            try {
                next.run();
            } catch (RuntimeException | OutOfMemoryError e) {
                failed.accept(e);
            }
        }
        return true;
    }
}
