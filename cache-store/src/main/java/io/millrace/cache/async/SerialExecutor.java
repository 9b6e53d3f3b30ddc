package io.millrace.cache.async;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Runs steps one after another, each on the thread of one of the callers: what other threads bring waits for its turn. */
public final class SerialExecutor {
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Consumer<Throwable> failed;

    /**
     * @param failed told, as a step of its own, what a step threw; the steps behind that one run all the same
     */
    public SerialExecutor(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    /** Runs a step, now or behind those that others have brought; what it brings itself comes behind it. */
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
