package io.millrace.gateway.app;

import io.millrace.backend.spi.Backend;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The opened backends by name; closes them with the context. */
public record OpenBackends(Map<String, Backend> byName) implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OpenBackends.class);

    /**
     * Limit for closing one backend. Requests have ended by then, so there is little to wait for, and the process ends
     * in any case.
     */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /** Closes all backends concurrently. A backend that fails to close or takes too long is logged and abandoned. */
    @Override
    public void close() {
        Flux.fromIterable(byName.entrySet())
                .flatMap(entry -> close(entry.getKey(), entry.getValue()), Math.max(1, byName.size()))
                .blockLast();
    }

    private static Mono<Void> close(String name, Backend backend) {
        return Mono.defer(backend::close).timeout(CLOSE_TIMEOUT).onErrorResume(failure -> {
            log.warn("Backend '{}' did not close cleanly: {}", name, LogSanitizer.escape(failure.toString()));
            return Mono.empty();
        });
    }
}
