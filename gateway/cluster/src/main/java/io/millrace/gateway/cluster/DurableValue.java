package io.millrace.gateway.cluster;

import reactor.core.publisher.Mono;

/** A small value that is replaced as a whole and outlasts the process. */
interface DurableValue<T> {
    /** Returns the value that was last written, or the one of a new member. */
    T read();

    /** Replaces the value; completes when that is durable. */
    Mono<Void> write(T value);
}
