package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.ScriptedBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
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
        List<String> order = new CopyOnWriteArrayList<>();
        Map<String, Backend> backends = new LinkedHashMap<>();
        for (int i = 0; i < 20; i++) {
            Mono<Void> never = Mono.<Void>never()
                    .doOnSubscribe(begun -> order.add("begun"))
                    .doOnCancel(() -> order.add("given up"));
            backends.put(
                    "stuck-" + i, ScriptedBackend.over(new InMemoryBackend()).closing(never));
        }
        backends.put(
                "broken",
                ScriptedBackend.over(new InMemoryBackend()).closing(Mono.error(new IllegalStateException("no"))));
        backends.put(
                "good", ScriptedBackend.over(new InMemoryBackend()).closing(Mono.fromRunnable(() -> closed.set(true))));

        new OpenBackends(backends).close();

        assertThat(closed).isTrue();
        assertThat(order).as("one patience, not twenty").hasSize(40);
        assertThat(order.subList(0, 20)).containsOnly("begun");
    }
}
