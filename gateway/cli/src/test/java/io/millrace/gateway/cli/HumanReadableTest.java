package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that formatted numbers are short at any size. */
class HumanReadableTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "999, 999 B",
        "1000, 1.0 KiB",
        "1024, 1.0 KiB",
        "10188, 9.9 KiB",
        "10200, 10 KiB",
        "1023000, 999 KiB",
        "1048575, 1.0 MiB",
        "36600000, 35 MiB",
        "9223372036854775807, 8.0 EiB"
    })
    void formatsBytesInTheShortestUnit(long bytes, String text) {
        assertThat(HumanReadable.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"999999|999,999", "1000000|1.00M", "2345678901|2.35G"})
    void objectsAreCountedInFullBelowAMillion(long count, String text) {
        assertThat(HumanReadable.count(count)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0s", "59, 59s", "60, 1m00s", "3599, 59m59s", "3600, 1h00m", "86399, 23h59m", "1051200, 12d4h"})
    void timesHaveTwoUnits(long seconds, String text) {
        assertThat(HumanReadable.duration(Duration.ofSeconds(seconds))).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 us",
        "999, 999 us",
        "1000, 1.0 ms",
        "9999, 9.9 ms",
        "999999, 999 ms",
        "1000000, 1.0s",
        "59999999, 59.9s",
        "61000000, 1m01s"
    })
    void latenciesHaveTheDigitsThatMatter(long micros, String text) {
        assertThat(HumanReadable.latency(Duration.of(micros, ChronoUnit.MICROS)))
                .isEqualTo(text);
    }
}
