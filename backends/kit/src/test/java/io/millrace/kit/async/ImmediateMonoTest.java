package io.millrace.kit.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class ImmediateMonoTest {
    private final AtomicInteger called = new AtomicInteger();

    @Test
    void valueIsKnownWithoutSubscriber() {
        assertThat(ImmediateMono.valueOf(Mono.just("value"))).isEqualTo("value");
        assertThat(ImmediateMono.isKnown(Mono.just("value"))).isTrue();
    }

    @Test
    void workIsNotBegunToKnowItsValue() {
        assertThat(ImmediateMono.isKnown(Mono.fromCallable(called::incrementAndGet)))
                .isFalse();
        assertThat(ImmediateMono.isKnown(Mono.fromSupplier(called::incrementAndGet)))
                .isFalse();
        assertThat(ImmediateMono.isKnown(Mono.defer(() -> Mono.just(called.incrementAndGet()))))
                .isFalse();
        assertThat(called).hasValue(0);
    }

    @Test
    void failureAndEmptinessAreNoValue() {
        assertThat(ImmediateMono.isKnown(Mono.error(new IllegalStateException())))
                .isFalse();
        assertThat(ImmediateMono.isKnown(Mono.empty())).isFalse();
    }
}
