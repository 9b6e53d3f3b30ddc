package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.gateway.control.BackendView;
import io.millrace.gateway.observe.BackendFailures;
import io.millrace.gateway.observe.MeteredBackend;
import io.millrace.gateway.observe.TrafficHistory;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A backend is asked how it is when somebody looks, not more often, and never by those who read. */
class BackendHealthTest {
    private final AtomicInteger asked = new AtomicInteger();
    private final BackendFailures failures = new BackendFailures();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void whatABackendSaysIsItsState() {
        assertThat(view(Mono.just(List.of())).state()).isEqualTo("answers");
        assertThat(view(Mono.just(List.of())).lastFailure()).isEmpty();

        BackendView refuses = view(failure(BackendException.Kind.ACCESS_DENIED));
        assertThat(refuses.state()).isEqualTo("refuses");
        assertThat(refuses.message()).contains("ListBuckets", "no, because");

        BackendView fails = view(failure(BackendException.Kind.UNAVAILABLE));
        assertThat(fails.state()).isEqualTo("fails");
        assertThat(fails.lastFailure().orElseThrow().operation()).isEqualTo("buckets");
    }

    @Test
    void aBackendThatSaysNothingFails() {
        BackendView silent = view(Mono.never());

        assertThat(silent.state()).isEqualTo("fails");
        assertThat(silent.message()).contains("no answer in 5 s");
    }

    @Test
    void aYoungAnswerWillDo() {
        BackendHealth health = health(Mono.just(List.of()));

        assertThat(asked).hasValue(0);
        for (int i = 0; i < 5; i++) {
            assertThat(health.get().block()).hasSize(1);
        }

        assertThat(asked).hasValue(1);
    }

    private BackendView view(Mono<List<BucketInfo>> answer) {
        return health(answer).get().blockOptional().orElseThrow().get(0);
    }

    private BackendHealth health(Mono<List<BucketInfo>> answer) {
        Backend asking = (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(),
                new Class<?>[] {Backend.class},
                (proxy, method, arguments) -> Mono.defer(() -> {
                    assertThat(method.getName()).isEqualTo("buckets");
                    asked.incrementAndGet();
                    return answer;
                }));
        Backend backend = new MeteredBackend("far", asking, registry, failures);
        return new BackendHealth(
                Map.of(), List.of(), new OpenBackends(Map.of("far", backend)), new TrafficHistory(registry), failures);
    }

    private static Mono<List<BucketInfo>> failure(BackendException.Kind kind) {
        return Mono.error(new BackendException(kind, "no, because"));
    }
}
