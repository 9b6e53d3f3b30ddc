package io.millrace.backend.resilience;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import reactor.core.publisher.Mono;

/**
 * A call of a backend, and how it may be treated.
 *
 * @param once sends it at each subscription
 * @param deadline until the response; zero for none
 * @param repeatable whether it may be sent again after this failure
 * @param hedged whether it may be sent twice at one time
 */
record GuardedCall<T>(Mono<T> once, Duration deadline, Predicate<BackendException> repeatable, boolean hedged) {
    /** Returns a copy that keeps {@code asked} true while the backend, and not a bound of the gateway, is what a try waits for. */
    GuardedCall<T> noting(AtomicBoolean asked) {
        Mono<T> noted = once.doOnSubscribe(sent -> asked.set(true)).doOnError(failure -> {
            if (failure instanceof BackendException known && known.kind() == FailureKind.BUSY) {
                asked.set(false);
            }
        });
        return new GuardedCall<>(noted, deadline, repeatable, hedged);
    }
}
