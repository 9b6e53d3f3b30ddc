package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.ScriptedBackend;
import io.millrace.gateway.app.backend.OpenBackends;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** Tests that a backend that does not close cannot keep the process from ending. */
class OpenBackendsTest {
    @Test
    @Timeout(60)
    void hangingOrFailingCloseDoesNotDelayOthers() {
        AtomicBoolean closed = new AtomicBoolean();
        Map<String, Backend> backends = new LinkedHashMap<>();
        for (int i = 0; i < 20; i++) {
            backends.put(
                    "stuck-" + i, ScriptedBackend.over(new InMemoryBackend()).closing(Mono.never()));
        }
        backends.put(
                "broken",
                ScriptedBackend.over(new InMemoryBackend()).closing(Mono.error(new IllegalStateException("no"))));
        backends.put(
                "good", ScriptedBackend.over(new InMemoryBackend()).closing(Mono.fromRunnable(() -> closed.set(true))));

        long start = System.nanoTime();
        new OpenBackends(backends).close();

        assertThat(closed).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .as("one patience, not twenty")
                .isLessThan(Duration.ofSeconds(20));
    }
}
