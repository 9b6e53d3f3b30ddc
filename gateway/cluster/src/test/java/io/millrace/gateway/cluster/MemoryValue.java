package io.millrace.gateway.cluster;

import reactor.core.publisher.Mono;

/** A value that is durable as soon as it is written, for tests. */
final class MemoryValue<T> implements DurableValue<T> {
    private volatile T value;

    MemoryValue(T value) {
        this.value = value;
    }

    @Override
    public T read() {
        return value;
    }

    @Override
    public Mono<Void> write(T next) {
        return Mono.fromRunnable(() -> value = next);
    }
}
