package io.millrace.gateway.app.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.command.Diagnosis.Severity;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a clock is judged by its distance to a server's. */
class ClockCheckTest {
    private static final Instant SENT = Instant.parse("2026-11-20T12:00:00Z");

    @ParameterizedTest
    @CsvSource({"-7, 7", "0, 0", "9, 0", "10, 0", "13, 3"})
    void slowResponseIsNoDistance(long atServer, long expected) {
        assertThat(ClockCheck.distance(SENT.plusSeconds(atServer), SENT, SENT.plusSeconds(10)))
                .hasSeconds(expected);
    }

    @ParameterizedTest
    @CsvSource({"2, OK", "60, WARNING", "3000, PROBLEM"})
    void clockIsJudgedByItsDistance(long seconds, Severity expected) {
        assertThat(ClockCheck.diagnosis("far", Duration.ofSeconds(seconds)).severity())
                .isEqualTo(expected);
    }
}
