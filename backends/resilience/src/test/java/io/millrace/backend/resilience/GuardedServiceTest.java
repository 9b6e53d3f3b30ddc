package io.millrace.backend.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.testkit.Polling;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** Calls of a service are guarded as those of a backend. */
@Timeout(60)
class GuardedServiceTest {
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger probes = new AtomicInteger();
    private final AtomicBoolean works = new AtomicBoolean();
    private final Mono<String> call = Mono.defer(() -> {
        calls.incrementAndGet();
        return response();
    });
    private final GuardedService service = service(Duration.ofSeconds(5));

    private GuardedService service(Duration deadline) {
        Mono<String> probe = Mono.defer(() -> {
            probes.incrementAndGet();
            return response();
        });
        return new GuardedService(
                "transform:thumb",
                probe,
                new ResilienceSettings(deadline, 1, 4, Optional.empty(), Optional.empty(), Optional.empty()),
                5);
    }

    private Mono<String> response() {
        return works.get()
                ? Mono.just("made")
                : Mono.error(() -> new BackendException(FailureKind.UNAVAILABLE, "no connection"));
    }

    private boolean isCalled() {
        int before = calls.get();
        service.run(call).onErrorComplete().block();
        return calls.get() > before;
    }

    @Test
    void serviceThatIsDownIsNotCalledUntilAProbeFindsItBack() {
        Polling.until("calls are refused", () -> !isCalled());
        assertThat(probes).hasPositiveValue();

        works.set(true);

        Polling.until("calls are sent again", this::isCalled);
        assertThat(service.run(call).block()).isEqualTo("made");
    }

    @Test
    void hangingCallEndsAtTheDeadline() {
        assertThatThrownBy(
                        () -> service(Duration.ofMillis(200)).run(Mono.never()).block())
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("no response within");
    }
}
