package io.millrace.kit.async;

import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Makes a {@code Mono} continue its work if its subscriber cancels. */
public final class UncancellableMono {
    private UncancellableMono() {}

    /** Returns the work, which begins with each subscription and continues to its end, in its context. */
    public static <T> Mono<T> of(Mono<T> work) {
        return Mono.deferContextual(context -> {
            Sinks.One<T> result = Sinks.one();
            work.contextWrite(context).subscribe(result::tryEmitValue, result::tryEmitError, result::tryEmitEmpty);
            return result.asMono();
        });
    }
}
