package io.millrace.backend.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryBackoffTest {
    private final BackendException down = new BackendException(FailureKind.UNAVAILABLE, "down");
    private final BackendException throttled = new BackendException(FailureKind.THROTTLED, "slow down");

    private final RetryBackoff longest = new RetryBackoff(() -> 1.0);

    @Test
    void pausesDoubleUpToALimit() {
        assertThat(longest.pause(down, 1)).contains(Duration.ofMillis(50));
        assertThat(longest.pause(down, 2)).contains(Duration.ofMillis(100));
        assertThat(longest.pause(down, 40)).contains(Duration.ofSeconds(2));
        assertThat(longest.pause(throttled, 1)).contains(Duration.ofMillis(500));
        assertThat(longest.pause(throttled, 40)).contains(Duration.ofSeconds(5));
    }

    @Test
    void jitterIsFull() {
        assertThat(new RetryBackoff(() -> 0.0).pause(down, 3)).contains(Duration.ZERO);
    }

    @Test
    void honoursRetryAfterUpToALimit() {
        assertThat(longest.pause(throttled.withRetryAfter(Duration.ofSeconds(7)), 1))
                .contains(Duration.ofSeconds(7));
        assertThat(longest.pause(throttled.withRetryAfter(Duration.ofSeconds(11)), 1))
                .isEmpty();
    }
}
