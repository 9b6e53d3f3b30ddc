package io.millrace.backend.resilience;

import io.millrace.backend.spi.BackendException;
import java.time.Duration;
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
record GuardedCall<T>(Mono<T> once, Duration deadline, Predicate<BackendException> repeatable, boolean hedged) {}
