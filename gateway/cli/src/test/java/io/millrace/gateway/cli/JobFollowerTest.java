package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.server.PlannedResponse;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that following a job shows its progress and ends with its exit code, with requests one after another. */
class JobFollowerTest extends FakeControlServerTest {
    private static final String SUBMIT = "POST /api/v1/jobs";
    private static final String SHOW = "GET /api/v1/jobs/j1";
    private static final String POLL = SHOW + "?brief=true";

    @BeforeEach
    void respond() {
        server.on(SUBMIT, PlannedResponse.json(201, JobFixtures.json("submitted", 0)))
                .on(SHOW, PlannedResponse.json(200, JobFixtures.json("running", 10)));
    }

    @Test
    void jobIsPolledUntilItsEnd() {
        then(JobFixtures.json("running", 50), JobFixtures.json("done", 100));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("prefetch", "s3://data", "--wait");

        assertThat(result.code()).isZero();
        assertThat(result.out())
                .isEqualTo(
                        "job j1 (prefetch) is done: 100 objects done (100 MiB), 0 skipped, 0 failed; 100 MiB moved in"
                                + " 1m05s%n".formatted());
        assertThat(result.err()).startsWith("job j1 submitted: ").contains("job j1 running: 50%, 50/100 objects");
        assertThat(server.lines()).containsExactly(SUBMIT, POLL, POLL);
    }

    @Test
    void warningOfARunningJobIsShownOnceAndItsMessageAtTheEnd() {
        String warned = JobFixtures.json("running", 50).replace("\"message\":\"\"", "\"message\":\"it does not fit\"");
        String ended = JobFixtures.json("done", 100).replace("\"message\":\"\"", "\"message\":\"half is cached\"");
        then(warned, warned.replace("50", "60"), ended);

        CommandHarness.Result result = CommandHarness.at(server, folder).run("prefetch", "s3://data", "--wait");

        assertThat(result.err()).containsOnlyOnce("warning: it does not fit");
        assertThat(result.out()).contains("moved in 1m05s. Half is cached");
    }

    /** A script that goes on to read relies on it. */
    @Test
    void prefetchOfWhichNotAllIsCachedFails() {
        String ended = JobFixtures.json("done", 100).replace("\"message\":\"\"", "\"message\":\"half is cached\"");
        then(ended);

        assertThat(CommandHarness.at(server, folder)
                        .run("prefetch", "s3://data", "--wait")
                        .code())
                .isEqualTo(1);
    }

    @Test
    void dryRunOfAPrefetchThatDoesNotFitSucceeds() {
        then(JobFixtures.json("done", 0)
                .replace("\"message\":\"\"", "\"message\":\"it does not fit\"")
                .replace("\"request\":{", "\"request\":{\"dryRun\":true,"));

        assertThat(CommandHarness.at(server, folder)
                        .run("prefetch", "s3://data", "--dry-run", "--wait")
                        .code())
                .isZero();
    }

    @Test
    void jobWithFailuresFailsAndPrintsTheRemedy() {
        then(JobFixtures.json("done-with-failures", 98, 2));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("jobs", "watch", "j1");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).contains("millrace jobs failures j1", "millrace jobs retry j1");
    }

    @Test
    void stopsWaitingForAPausedJob() {
        then(JobFixtures.json("paused", 20));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("jobs", "watch", "j1");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).contains("To continue: millrace jobs resume j1");
    }

    /** A pin that cannot hold, say, cannot hold in a moment either. */
    @Test
    void failedJobIsResumedAfterItsCauseIsGone() {
        then(JobFixtures.json("failed", 20));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("jobs", "watch", "j1");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).contains("To continue when the cause is gone: millrace jobs resume j1");
    }

    /** What names no object now names none in a moment either. */
    @Test
    void noHintToResumeAJobThatSelectedNothing() {
        String empty = JobFixtures.json("failed", 0).replace("\"found\":100", "\"found\":0");
        then(empty);

        CommandHarness.Result result = CommandHarness.at(server, folder).run("jobs", "watch", "j1");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out())
                .contains("with a selection that matches objects")
                .doesNotContain("resume");
    }

    @Test
    void aTerminalHasOneLineThatIsDrawnOver() {
        then(JobFixtures.json("running", 50), JobFixtures.json("done", 100));

        CommandHarness.Result result =
                CommandHarness.at(server, folder).terminal(80).run("jobs", "watch", "j1");

        assertThat(result.err()).doesNotContain("\n").contains("\r\u001b[Krunning [", "50%  50/100 objects");
        assertThat(result.out()).startsWith("job j1 (prefetch) is done");
    }

    @ParameterizedTest
    @CsvSource({"NO_COLOR, 1", "TERM, dumb"})
    void aTerminalThatCannotOrShallNotHasLines(String variable, String value) {
        then(JobFixtures.json("running", 10), JobFixtures.json("done", 100));

        CommandHarness.Result result = CommandHarness.at(server, folder)
                .terminal(80)
                .with(variable, value)
                .run("jobs", "watch", "j1");

        assertThat(result.err()).doesNotContain("\u001b").contains("job j1 running: 10%");
    }

    @Test
    void jsonIsALineForEachChange() {
        then(
                JobFixtures.json("running", 10),
                JobFixtures.json("running", 10),
                JobFixtures.json("running", 50),
                JobFixtures.json("done", 100));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("jobs", "watch", "j1", "--json");

        assertThat(result.out().lines())
                .containsExactly(
                        JobFixtures.json("running", 10),
                        JobFixtures.json("running", 50),
                        JobFixtures.json("done", 100));
        assertThat(result.err()).isEmpty();
    }

    /** Answers polls of the job with these, one after another. */
    private void then(String... jobs) {
        server.on(
                POLL,
                Arrays.stream(jobs).map(job -> PlannedResponse.json(200, job)).toArray(PlannedResponse[]::new));
    }
}
