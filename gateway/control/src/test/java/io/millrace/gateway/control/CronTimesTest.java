package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which times cron's fields mean, also where a zone sets its clocks. */
class CronTimesTest {
    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            30 3 * * *       | 2026-12-01T03:30:00Z | 2026-12-02T03:30:00Z
            */15 * * * *     | 2026-12-01T03:31:07Z | 2026-12-01T03:45:00Z
            0 0 1 * *        | 2026-12-01T00:00:00Z | 2027-01-01T00:00:00Z
            0 9 * * MON-FRI  | 2026-12-04T09:00:00Z | 2026-12-07T09:00:00Z
            0 0 29 2 *       | 2026-12-01T00:00:00Z | 2028-02-29T00:00:00Z
            """)
    void nextTimeIsTheFirstThatMatches(String fields, Instant after, Instant next) {
        assertThat(CronTimes.of(fields, UTC).after(after)).contains(next);
    }

    @Test
    void timeInTheHourThatIsLeftOutComesAnHourLater() {
        assertThat(timesOf("30 2 * * *", "2026-03-28T00:00:00Z", 3))
                .containsExactly("2026-03-28T01:30:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z");
    }

    @Test
    void allTimesOfTheHourThatIsLeftOutCome() {
        assertThat(timesOf("*/20 2 * * *", "2026-03-28T12:00:00Z", 4))
                .containsExactly(
                        "2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z", "2026-03-30T00:00:00Z");
    }

    /** Lord Howe leaves out half an hour, so 2:15 comes at 2:45. */
    @Test
    void timeOfAGapMayComeAfterALaterTimeOfTheClock() {
        assertThat(timesOf(ZoneId.of("Australia/Lord_Howe"), "15,40 2 * * *", "2026-10-03T12:00:00Z", 3))
                .containsExactly("2026-10-03T15:40:00Z", "2026-10-03T15:45:00Z", "2026-10-04T15:15:00Z");
    }

    @Test
    void hourThatIsRepeatedHasEachTimeOnce() {
        assertThat(timesOf("30 2 * * *", "2026-10-24T12:00:00Z", 2))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
        assertThat(timesOf("0,30 2,3 * * *", "2026-10-24T12:00:00Z", 4))
                .containsExactly(
                        "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T02:00:00Z", "2026-10-25T02:30:00Z");
    }

    @Test
    void secondPassOfARepeatedHourLeadsToTheNextHour() {
        assertThat(CronTimes.of("*/10 * * * *", BERLIN).after(Instant.parse("2026-10-25T01:05:00Z")))
                .contains(Instant.parse("2026-10-25T02:00:00Z"));
    }

    @Test
    void lastTimeIsTheLatestThatIsNotTooOld() {
        CronTimes hourly = CronTimes.of("0 * * * *", UTC);
        Instant end = Instant.parse("2026-12-01T12:20:00Z");

        assertThat(hourly.last(Instant.EPOCH, Instant.parse("2026-12-01T09:00:00Z"), end))
                .contains(Instant.parse("2026-12-01T12:00:00Z"));
        assertThat(hourly.last(Instant.EPOCH, Instant.parse("2026-12-01T12:00:00Z"), end))
                .isEmpty();
        assertThat(hourly.last(Instant.parse("2026-12-01T12:00:00Z"), Instant.parse("2026-12-01T09:00:00Z"), end))
                .isEmpty();
    }

    /** A search that begins within the gap would not meet the time before it. */
    @Test
    void timeThatWasMovedOutOfAGapIsNotTooOld() {
        Instant moved = Instant.parse("2026-03-29T01:30:00Z");

        assertThat(CronTimes.of("30 2 * * *", BERLIN).last(Instant.EPOCH, moved.minusSeconds(60), moved.plusSeconds(5)))
                .contains(moved);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 30 3 * * *  | is not five fields but 6
            @daily        | is not five fields but 1
            61 3 * * *    | is not what cron has
            0 3 * * WED-  | is not what cron has
            0 3 * * #     | is not what cron has
            0 3 5-1 * *   | is not what cron has
            0 0 30 2 *    | never comes
            """)
    void otherFieldsAreRefused(String fields, String why) {
        assertThatThrownBy(() -> CronTimes.of(fields, UTC))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(why);
    }

    private static List<String> timesOf(String fields, String after, int count) {
        return timesOf(BERLIN, fields, after, count);
    }

    private static List<String> timesOf(ZoneId zone, String fields, String after, int count) {
        CronTimes times = CronTimes.of(fields, zone);
        List<String> found = new ArrayList<>();
        Optional<Instant> next = times.after(Instant.parse(after));
        while (next.isPresent() && found.size() < count) {
            found.add(next.get().toString());
            next = times.after(next.get());
        }
        return found;
    }
}
