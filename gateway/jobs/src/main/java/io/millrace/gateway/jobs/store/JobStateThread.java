package io.millrace.gateway.jobs.store;

import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.async.ExecutedCall;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The single thread that changes and stores the states of all jobs. It is never interrupted. */
public final class JobStateThread implements AutoCloseable {
    private static final long CLOSE_TIMEOUT_SECONDS = 30;

    private final ExecutorService thread = DaemonThreads.single("jobs");

    /** Runs a step on the thread. A cancel does not stop it. */
    public <T> Mono<T> call(Callable<@Nullable T> step) {
        return ExecutedCall.on(thread, step, closing -> new JobCannotContinueException("Millrace is stopping"));
    }

    /** Runs a step that has no result, as {@link #call} does. */
    public Mono<Void> run(Step step) {
        return call(() -> {
            step.run();
            return null;
        });
    }

    /** A step that has no result. */
    @FunctionalInterface
    public interface Step {
        void run() throws Exception;
    }

    /** Runs a step on the thread and ignores its result. */
    public void execute(Runnable step) {
        thread.execute(step);
    }

    /** Waits for the steps submitted so far. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            thread.awaitTermination(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
