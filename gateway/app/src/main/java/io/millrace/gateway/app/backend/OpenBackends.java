package io.millrace.gateway.app.backend;

import io.millrace.backend.spi.Backend;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The backends by name, closed with the context. */
public record OpenBackends(Map<String, Backend> byName) implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OpenBackends.class);

    /** Requests have ended by now, so there is little left to wait for; the process ends in any case. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Closes all at the same time. One that fails or takes too long is told in the log and left. */
    @Override
    public void close() {
        Flux.fromIterable(byName.entrySet())
                .flatMap(entry -> close(entry.getKey(), entry.getValue()), Math.max(1, byName.size()))
                .blockLast();
    }

    private static Mono<Void> close(String name, Backend backend) {
        return Mono.defer(backend::close).timeout(PATIENCE).onErrorResume(failure -> {
            log.warn("Backend '{}' was not closed: {}", name, LogSanitizer.escape(failure.toString()));
            return Mono.empty();
        });
    }
}
