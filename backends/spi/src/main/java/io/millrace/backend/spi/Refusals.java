package io.millrace.backend.spi;

import reactor.core.publisher.Mono;

/** What an operation is that a backend does not have. */
final class Refusals {
    private Refusals() {}

    static <T> Mono<T> refuse(String operation) {
        return Mono.error(
                () -> new BackendException(BackendException.Kind.UNSUPPORTED, "this backend has no " + operation));
    }
}
