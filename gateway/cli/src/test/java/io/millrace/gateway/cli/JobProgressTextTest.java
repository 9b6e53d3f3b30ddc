package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests progress bars, progress lines and results of jobs. */
class JobProgressTextTest {
    private static final JobSnapshot LARGE = JobFixtures.of(
            "running",
            "\"found\":2900000,\"foundBytes\":987654321098765,\"counted\":true,\"done\":1234567,"
                    + "\"doneBytes\":487654321098765,\"failed\":1234",
            ",\"percent\":49.3,\"objectsPerSecond\":12.0,\"bytesPerSecond\":12582912.0,\"secondsLeft\":63");

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            120 | running [##########------------------------------]  25%  0/1 objects  1m03s left  0.3/1.0 GiB  12 MiB/s
             80 | running [####------------]  25%  0/1 objects  1m03s left  0.3/1.0 GiB  12 MiB/s
             70 | running  25%  0/1 objects  1m03s left  0.3/1.0 GiB  12 MiB/s
             60 | running  25%  0/1 objects  1m03s left  0.3/1.0 GiB
             45 | running  25%  0/1 objects  1m03s left
             12 | running
              5 | runn
            """)
    void omitsPartsThatDoNotFit(int columns, String bar) {
        assertThat(JobProgressText.bar(JobFixtures.underWay(), columns)).isEqualTo(bar.strip());
    }

    @Test
    void noLineReachesTheLastColumn() {
        for (int columns = 1; columns <= 200; columns++) {
            assertThat(JobProgressText.bar(LARGE, columns)).hasSizeLessThan(Math.max(2, columns));
        }
    }

    @Test
    void largeNumbersFitIntoEightyColumns() {
        assertThat(JobProgressText.bar(LARGE, 80))
                .isEqualTo("running  49%  1.24M/2.90M objects  1,234 failed  1m03s left  444/898 TiB");
    }

    @Test
    void planningJobHasNoPercentageOrEnd() {
        JobSnapshot planning =
                JobFixtures.of("planning", "\"found\":3000,\"foundBytes\":2048,\"counted\":false,\"done\":7");

        assertThat(JobProgressText.bar(planning, 80))
                .isEqualTo("planning [" + "-".repeat(38) + "]  7/3,000+ objects  0/2.0 KiB+");
    }

    @Test
    void planningJobWithoutObjectsSaysSo() {
        JobSnapshot planning = JobFixtures.of("planning", "\"found\":0,\"counted\":false");

        assertThat(JobProgressText.line(planning)).isEqualTo("job j1 planning: no object found yet");
    }

    @Test
    void packCountsShards() {
        assertThat(JobProgressText.line(pack("planning", "\"found\":0,\"counted\":false")))
                .isEqualTo("job j1 planning: arranging its shards");
        assertThat(JobProgressText.line(pack("running", "\"found\":8,\"counted\":true,\"done\":3")))
                .isEqualTo("job j1 running: 3/8 shards");
        assertThat(JobProgressText.end(pack("done", "\"found\":1,\"counted\":true,\"done\":1")))
                .isEqualTo("job j1 (pack) is done: 1 shard done, 0 skipped, 0 failed; 0 B moved in 1s");
    }

    private static JobSnapshot pack(String state, String progress) {
        return new JobSnapshot(JsonCodec.readObject(
                "{\"id\":\"j1\",\"kind\":\"pack\",\"state\":\"%s\",\"progress\":{%s},\"activeMillis\":1500}"
                        .formatted(state, progress)));
    }

    @Test
    void jobWithoutBytesCountsObjects() {
        JobSnapshot deleting = JobFixtures.of(
                "running",
                "\"found\":100,\"counted\":true,\"done\":50",
                ",\"percent\":50.0,\"objectsPerSecond\":35.0,\"bytesPerSecond\":0.0");

        assertThat(JobProgressText.line(deleting)).isEqualTo("job j1 running: 50%, 50/100 objects, 35 objects/s");
    }

    @Test
    void endOfADryRunReportsItsCounts() {
        JobSnapshot counted = new JobSnapshot(JsonCodec.readObject(
                "{\"id\":\"j1\",\"kind\":\"copy\",\"state\":\"done\",\"request\":{\"dryRun\":true},"
                        + "\"progress\":{\"found\":60,\"foundBytes\":2048,\"counted\":true},\"activeMillis\":15}"));

        assertThat(JobProgressText.end(counted))
                .isEqualTo("job j1 (copy, dry run) would process 60 objects (2.0 KiB); nothing was done");
    }

    @Test
    void dryRunReportsThatItIsOne() {
        String json = "{\"id\":\"j1\",\"kind\":\"copy\",\"state\":\"%s\",\"request\":{\"dryRun\":true},"
                + "\"progress\":{\"found\":60,\"counted\":false},\"activeMillis\":15}";
        JobSnapshot planning = new JobSnapshot(JsonCodec.readObject(json.formatted("planning")));
        JobSnapshot cancelled = new JobSnapshot(JsonCodec.readObject(json.formatted("cancelled")));

        assertThat(JobProgressText.line(planning)).isEqualTo("job j1 planning (dry run): 0/60+ objects");
        assertThat(JobProgressText.bar(planning, 80))
                .startsWith("planning (dry run) [")
                .hasSizeLessThan(80);
        assertThat(JobProgressText.end(cancelled)).startsWith("job j1 (copy, dry run) was cancelled: ");
    }

    /** The disks' files stay: somebody who looks at them is not to wonder. */
    @Test
    void anEvictionSaysWhenItsRoomIsUsedAgain() {
        JobSnapshot evicted = new JobSnapshot(JsonCodec.readObject(
                "{\"id\":\"j1\",\"kind\":\"evict\",\"state\":\"done\",\"progress\":{\"found\":1,\"counted\":true,"
                        + "\"done\":1,\"doneBytes\":1024,\"movedBytes\":1024},\"activeMillis\":15}"));

        assertThat(JobProgressText.end(evicted)).contains("; 1.0 KiB evicted in 0s. ", "until their space is reused");
    }

    @Test
    void copyInsideOneBackendIsNotSaidToHaveMovedNothing() {
        JobSnapshot inside = JobFixtures.of("done", "\"found\":1,\"done\":1,\"doneBytes\":1024,\"movedBytes\":0");

        assertThat(JobProgressText.end(inside))
                .isEqualTo("job j1 (copy) is done: 1 object done (1.0 KiB), 0 skipped, 0 failed;"
                        + " copied by the backend in 1s");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            done               | job j1 (copy) is done: 1 object done (1.0 KiB), 2 skipped, 0 failed; 1.0 KiB moved in 1s
            done-with-failures | job j1 (copy) ended with failures: 1 object done (1.0 KiB), 2 skipped, 0 failed; 1.0 KiB moved in 1s
            cancelled          | job j1 (copy) was cancelled: 1 object done (1.0 KiB), 2 skipped, 0 failed; 1.0 KiB moved in 1s
            paused             | job j1 (copy) is paused: 1 object done (1.0 KiB), 2 skipped, 0 failed; 1.0 KiB moved in 1s
            """)
    void theEndIsReportedInOneLine(String state, String line) {
        JobSnapshot job =
                JobFixtures.of(state, "\"found\":3,\"done\":1,\"doneBytes\":1024,\"skipped\":2,\"movedBytes\":1024");

        assertThat(JobProgressText.end(job)).isEqualTo(line);
    }
}
