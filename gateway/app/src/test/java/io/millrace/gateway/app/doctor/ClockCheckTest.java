package io.millrace.gateway.app.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.doctor.Diagnosis.Severity;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a clock is judged by its distance to a server's. */
class ClockCheckTest {
    @ParameterizedTest
    @CsvSource({"2, OK", "60, WARNING", "3000, PROBLEM"})
    void clockIsJudgedByItsDistance(long seconds, Severity expected) {
        assertThat(ClockCheck.diagnosis("far", Duration.ofSeconds(seconds)).severity())
                .isEqualTo(expected);
    }
}
