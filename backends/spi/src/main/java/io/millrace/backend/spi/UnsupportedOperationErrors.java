package io.millrace.backend.spi;

import reactor.core.publisher.Mono;

/** Creates the failure of an operation that a backend does not support. */
final class UnsupportedOperationErrors {
    private UnsupportedOperationErrors() {}

    static <T> Mono<T> error(String operation) {
        return Mono.error(() -> new BackendException(
                        BackendException.FailureKind.UNSUPPORTED, "this backend does not support " + operation)
                .asUnprocessed());
    }
}
