package io.millrace.kit.async;

import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A call that blocks, run by an executor for each subscriber. A cancel does not stop it. */
public final class ExecutedCall {
    private ExecutedCall() {}

    /**
     * Returns the result of the call; empty if it returns null.
     *
     * @param closed creates the failure if the executor takes no more calls
     */
    public static <T> Mono<T> on(
            Executor executor, Callable<@Nullable T> call, Function<RejectedExecutionException, Throwable> closed) {
        return Mono.create(sink -> {
            try {
                executor.execute(() -> {
                    try {
                        sink.success(call.call());
                    } catch (Exception failure) {
                        sink.error(failure);
                    }
                });
            } catch (RejectedExecutionException rejection) {
                sink.error(closed.apply(rejection));
            }
        });
    }
}
