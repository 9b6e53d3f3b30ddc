package io.millrace.kit.async;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Runs the same work after each signal, on one thread at a time. Signals that come while it runs make it run once more,
 * so none is lost; what one run writes, the next one sees. Signals may come from any thread.
 */
public final class DrainLoop implements Runnable {
    private static final AtomicIntegerFieldUpdater<DrainLoop> SIGNALS =
            AtomicIntegerFieldUpdater.newUpdater(DrainLoop.class, "signals");

    private final Executor executor;
    private final Work work;
    private final Runnable rejected;

    /** Signals since the work was last begun. Only the first one starts it. */
    private volatile int signals;

    /** The work; it must not throw. */
    @FunctionalInterface
    public interface Work {
        /**
         * Returns whether nothing is left until the next signal; otherwise it runs again after the executor's other
         * tasks.
         */
        boolean run();
    }

    /** A loop that runs on the thread of the signal that starts it. */
    public DrainLoop(Work work) {
        this(Runnable::run, work, () -> {});
    }

    /**
     * A loop that runs on an executor.
     *
     * @param rejected called if the executor takes no task any more: on the signal's thread, while no work runs. No
     *     work runs later, unless it calls {@link #run}.
     */
    public DrainLoop(Executor executor, Work work, Runnable rejected) {
        this.executor = executor;
        this.work = work;
        this.rejected = rejected;
    }

    /** Has the work run after this call. */
    public void signal() {
        if (SIGNALS.getAndIncrement(this) == 0) {
            submit();
        }
    }

    /**
     * Runs the work until there are no more signals. For the executor, and for {@code rejected}; others call {@link
     * #signal}.
     */
    @Override
    public void run() {
        int seen = signals;
        do {
            if (!work.run()) {
                submit();
                return;
            }
            seen = SIGNALS.addAndGet(this, -seen);
        } while (seen != 0);
    }

    private void submit() {
        try {
            executor.execute(this);
        } catch (RejectedExecutionException closed) {
            rejected.run();
        }
    }
}
