package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Tests that states are looked at each minute, whatever becomes of one look. */
class StatePollerTest {
    private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
    private final AtomicInteger local = new AtomicInteger();
    private final AtomicInteger backends = new AtomicInteger();

    @Test
    void statesAreObservedEachMinuteAlsoAfterAFailure() {
        try (StatePoller observer = new StatePoller(
                () -> {
                    if (local.incrementAndGet() == 1) {
                        throw new IllegalStateException("of this test");
                    }
                },
                () -> Mono.fromRunnable(() -> {
                    if (backends.incrementAndGet() == 1) {
                        throw new IllegalStateException("of this test");
                    }
                }),
                time)) {
            observer.start();
            time.advanceTimeBy(Duration.ofSeconds(59));
            assertThat(local).hasValue(0);

            time.advanceTimeBy(Duration.ofSeconds(1));
            time.advanceTimeBy(Duration.ofMinutes(2));
        }
        time.advanceTimeBy(Duration.ofMinutes(5));

        assertThat(local).hasValue(3);
        assertThat(backends).hasValue(2);
    }
}
