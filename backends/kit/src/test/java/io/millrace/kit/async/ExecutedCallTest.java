package io.millrace.kit.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Tests what becomes of calls that run on a thread of their own. */
class ExecutedCallTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final ExecutorService thread = DaemonThreads.single("calls");

    @AfterEach
    void stop() {
        thread.shutdownNow();
    }

    @Test
    void eachSubscriberHasACallOfItsOwn() {
        AtomicInteger calls = new AtomicInteger();
        Mono<Integer> number = call(calls::incrementAndGet);

        assertThat(calls).hasValue(0);
        assertThat(number.block(SOON)).isEqualTo(1);
        assertThat(number.block(SOON)).isEqualTo(2);
    }

    @Test
    void failureIsTheSubscribers() {
        assertThatThrownBy(() -> call(() -> {
                            throw new IOException("of this test");
                        })
                        .block(SOON))
                .hasRootCauseMessage("of this test");
    }

    @Test
    void closedExecutorFailsTheCall() {
        thread.shutdown();

        assertThatThrownBy(() -> call(() -> 1).block(SOON)).hasMessage("closed");
    }

    private <T> Mono<T> call(Callable<T> call) {
        return ExecutedCall.on(thread, call, rejection -> new IllegalStateException("closed", rejection));
    }
}
