package io.millrace.gateway.jobs.store;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The one thread that changes what is known of jobs and writes it down. It is never interrupted. */
public final class JobThread implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 30;

    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread made = new Thread(task, "jobs");
        made.setDaemon(true);
        return made;
    });

    /** Runs a step there. It goes on if nobody waits for it any more. */
    public <T> Mono<T> call(Callable<@Nullable T> step) {
        return Mono.create(sink -> {
            try {
                thread.execute(() -> {
                    try {
                        sink.success(step.call());
                    } catch (Exception failure) {
                        sink.error(failure);
                    }
                });
            } catch (RejectedExecutionException closing) {
                sink.error(new JobStoppedException("Millrace is stopping"));
            }
        });
    }

    /** Runs a step there, about which nobody wants to hear. */
    public void execute(Runnable step) {
        thread.execute(step);
    }

    /** Waits for what has been asked for. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
