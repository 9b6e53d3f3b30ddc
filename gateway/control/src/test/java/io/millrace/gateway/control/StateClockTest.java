package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A state begins when it is first seen, and again after another one. */
class StateClockTest {
    private static final Instant START = Instant.parse("2026-11-27T03:00:00Z");

    private Instant now = START;
    private final StateClock clock = new StateClock(() -> now);

    @Test
    void stateBeginsWhenItIsFirstSeen() {
        assertThat(clock.since("disk a", "healthy")).isEqualTo(START);
        now = START.plusSeconds(60);
        assertThat(clock.since("disk a", "healthy")).isEqualTo(START);
        assertThat(clock.since("disk a", "failing")).isEqualTo(now);
        assertThat(clock.since("disk b", "healthy")).isEqualTo(now);
    }

    @Test
    void returnedStateBeginsAnew() {
        clock.since("disk a", "healthy");
        now = START.plusSeconds(60);
        clock.since("disk a", "failing");
        now = START.plusSeconds(120);

        assertThat(clock.since("disk a", "healthy")).isEqualTo(now);
    }
}
