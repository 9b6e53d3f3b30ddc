package io.millrace.gateway.objects.derived;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A service is in trouble if nothing has succeeded for a minute, and somebody has asked it lately. */
class TransformHealthTest {
    private long now = Long.MAX_VALUE - 1000;
    private final TransformHealth health = new TransformHealth(() -> now);

    private void failAfter(Duration time) {
        now += time.toNanos();
        health.failed();
    }

    @Test
    void aMinuteOfFailuresIsTrouble() {
        assertThat(health.isFailing()).isFalse();
        failAfter(Duration.ZERO);
        failAfter(Duration.ofSeconds(59));
        assertThat(health.isFailing()).isFalse();

        failAfter(Duration.ofSeconds(1));

        assertThat(health.isFailing()).isTrue();
    }

    @Test
    void aSuccessEndsIt() {
        failAfter(Duration.ZERO);
        failAfter(Duration.ofMinutes(2));

        health.succeeded();

        assertThat(health.isFailing()).isFalse();
        failAfter(Duration.ofMinutes(2));
        assertThat(health.isFailing()).as("a single one since").isFalse();
    }

    @Test
    void oldFailuresAreForgotten() {
        failAfter(Duration.ZERO);
        failAfter(Duration.ofMinutes(1));
        assertThat(health.isFailing()).isTrue();

        now += TransformHealth.MEMORY.toNanos();

        assertThat(health.isFailing()).isFalse();
        failAfter(Duration.ZERO);
        assertThat(health.isFailing()).as("a single one since").isFalse();
    }
}
