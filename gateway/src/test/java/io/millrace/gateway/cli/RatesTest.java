package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** How long it will take is told from the last seconds. */
class RatesTest {
    private static final Instant BEGIN = Instant.parse("2026-11-21T17:00:00Z");

    private final Rates rates = new Rates();

    @Test
    void aFirstLookTellsNothing() {
        assertThat(rates.with(TestJob.of("running", 50), BEGIN)).isEqualTo(Rates.Rate.UNKNOWN);
    }

    @Test
    void theRestTakesAsLongAsItWouldAtThisRate() {
        rates.with(TestJob.of("running", 10), BEGIN);

        Rates.Rate rate = rates.with(TestJob.of("running", 20), BEGIN.plusSeconds(5));

        assertThat(rate.objects()).isEqualTo(2);
        assertThat(rate.bytes()).isEqualTo(2 << 20);
        assertThat(rate.left()).contains(Duration.ofSeconds(40));
    }

    @Test
    void aPauseMinutesAgoIsForgotten() {
        rates.with(TestJob.of("running", 10), BEGIN);
        for (int i = 0; i <= 20; i++) {
            rates.with(TestJob.of("running", 10 + i), BEGIN.plusSeconds(600 + i));
        }

        assertThat(rates.with(TestJob.of("running", 31), BEGIN.plusSeconds(621)).objects())
                .isEqualTo(1);
    }

    @Test
    void aJobThatStandsStillHasNoEnd() {
        rates.with(TestJob.of("running", 10), BEGIN);

        assertThat(rates.with(TestJob.of("running", 10), BEGIN.plusSeconds(9)).left())
                .isEmpty();
    }
}
