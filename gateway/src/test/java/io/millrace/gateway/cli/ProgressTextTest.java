package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.cli.Rates.Rate;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What somebody who waits for a job looks at. */
class ProgressTextTest {
    private static final Rate RATE = new Rate(12, 12 << 20, Optional.of(Duration.ofSeconds(63)));
    private static final JobSnapshot LARGE = TestJob.of(
            "running",
            "\"found\":2900000,\"foundBytes\":987654321098765,\"counted\":true,\"done\":1234567,"
                    + "\"doneBytes\":487654321098765,\"failed\":1234");

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            120 | running [##########------------------------------]  25%  25/100 objects  1m03s left  25/100 MiB  12 MiB/s
             80 | running [####----------]  25%  25/100 objects  1m03s left  25/100 MiB  12 MiB/s
             70 | running  25%  25/100 objects  1m03s left  25/100 MiB  12 MiB/s
             60 | running  25%  25/100 objects  1m03s left  25/100 MiB
             45 | running  25%  25/100 objects  1m03s left
             12 | running
              5 | runn
            """)
    void whatThereIsNoRoomForIsLeftOut(int columns, String bar) {
        assertThat(ProgressText.bar(TestJob.of("running", 25), RATE, columns)).isEqualTo(bar.strip());
    }

    @Test
    void noLineReachesTheLastColumn() {
        for (int columns = 1; columns <= 200; columns++) {
            assertThat(ProgressText.bar(LARGE, RATE, columns)).hasSizeLessThan(Math.max(2, columns));
        }
    }

    @Test
    void largeNumbersFitIntoEightyColumns() {
        assertThat(ProgressText.bar(LARGE, RATE, 80))
                .isEqualTo("running  49%  1.24M/2.90M objects  1,234 failed  1m03s left  444/898 TiB");
    }

    @Test
    void aJobThatIsBeingCountedHasNeitherShareNorEnd() {
        JobSnapshot planning =
                TestJob.of("planning", "\"found\":3000,\"foundBytes\":2048,\"counted\":false,\"done\":7");

        assertThat(ProgressText.bar(planning, Rate.UNKNOWN, 80))
                .isEqualTo("planning [" + "-".repeat(38) + "]  7/3,000+ objects  0/2.0 KiB+");
    }

    @Test
    void anAllButFinishedJobIsNotAtAHundredPercent() {
        JobSnapshot almost =
                TestJob.of("running", "\"found\":3,\"foundBytes\":100,\"counted\":true,\"done\":2,\"doneBytes\":100");

        assertThat(ProgressText.bar(almost, Rate.UNKNOWN, 60)).contains("  99%  2/3 objects");
    }

    @Test
    void whereNoBytesMoveObjectsAreCounted() {
        JobSnapshot deleting = TestJob.of("running", "\"found\":100,\"counted\":true,\"done\":50");

        assertThat(ProgressText.line(deleting, new Rate(35, 0, Optional.empty())))
                .isEqualTo("job j1 running: 50%, 50/100 objects, 35 objects/s");
    }

    @Test
    void theEndOfADryRunTellsWhatWasCounted() {
        JobSnapshot counted = new JobSnapshot(
                Json.readObject("{\"id\":\"j1\",\"kind\":\"copy\",\"state\":\"done\",\"request\":{\"dryRun\":true},"
                        + "\"progress\":{\"found\":60,\"foundBytes\":2048,\"counted\":true},\"activeMillis\":15}"));

        assertThat(ProgressText.end(counted))
                .isEqualTo("job j1 (copy) would be about 60 objects (2.0 KiB); nothing was done");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            done               | job j1 (copy) is done: 1 object done (1.0 KiB), 2 skipped, 0 failed; 1.0 KiB moved in 1s
            done-with-failures | job j1 (copy) ended with failures: 1 object done (1.0 KiB), 2 skipped, 0 failed; 1.0 KiB moved in 1s
            cancelled          | job j1 (copy) was cancelled: 1 object done (1.0 KiB), 2 skipped, 0 failed; 1.0 KiB moved in 1s
            paused             | job j1 (copy) is paused: 1 object done (1.0 KiB), 2 skipped, 0 failed; 1.0 KiB moved in 1s
            """)
    void theEndIsToldInOneLine(String state, String line) {
        JobSnapshot job =
                TestJob.of(state, "\"found\":3,\"done\":1,\"doneBytes\":1024,\"skipped\":2,\"movedBytes\":1024");

        assertThat(ProgressText.end(job)).isEqualTo(line);
    }
}
