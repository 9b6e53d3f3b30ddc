package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.server.PlannedResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests listing, showing and controlling jobs. */
class JobsCommandTest extends FakeControlServerTest {
    @Test
    void theListIsATable() {
        server.on(
                "GET /api/v1/jobs?limit=20",
                PlannedResponse.json(200, "{\"jobs\":[" + JobFixtures.json("running", 25) + "]}"));

        assertThat(CommandHarness.at(server, folder).run("jobs").out().lines())
                .containsExactly(
                        "ID  KIND      STATE    DONE  OBJECTS  FAILED  BYTES   RATE  STARTED               TIME   OWNER"
                                + "  WHAT",
                        "j1  prefetch  running  25%   25/100   0       25 MiB  -     2026-11-21T17:00:01Z  1m05s  alice"
                                + "  s3://data/train/");
    }

    @Test
    void theListShowsWhichJobsOnlyCount() {
        String job = JobFixtures.json("done", 0).replace("\"request\":{", "\"request\":{\"dryRun\":true,");
        server.on("GET /api/v1/jobs?limit=20", PlannedResponse.json(200, "{\"jobs\":[" + job + "]}"));

        assertThat(CommandHarness.at(server, folder).run("jobs").out())
                .contains("j1  prefetch (dry run)  done   -     100 found  0       100 MiB");
    }

    /** The server's percentage counts failed objects as ended. */
    @Test
    void whatHasFailedIsNotDone() {
        String job = JobFixtures.json("done-with-failures", 0, 100)
                .replace("\"percent\":0", "\"percent\":100")
                .replace("\"movedBytes\"", "\"failedBytes\":104857600,\"movedBytes\"");
        server.on("GET /api/v1/jobs?limit=20", PlannedResponse.json(200, "{\"jobs\":[" + job + "]}"));

        assertThat(CommandHarness.at(server, folder).run("jobs").out())
                .contains("j1  prefetch  done-with-failures  0%    0/100    100     0 B");
    }

    @Test
    void schedulesAreATableWithWhatHindersThem() {
        server.on("GET /api/v1/schedules", PlannedResponse.json(200, """
                {"schedules":[{"name":"nightly","cron":"30 3 * * *","zone":"UTC","owner":"alice",
                 "request":{"kind":"prefetch","from":{"bucket":"data","prefix":"train/"}},
                 "next":"2026-12-02T03:30:00Z",
                 "last":{"time":"2026-12-01T03:30:00Z","outcome":"skipped","message":"its last job, j1, is still running"}}]}
                """));

        assertThat(CommandHarness.at(server, folder)
                        .run("jobs", "schedules")
                        .out()
                        .lines())
                .containsExactly(
                        "NAME     CRON        ZONE  OWNER  NEXT                  LAST                  OUTCOME  JOB"
                                + "  KIND      WHAT",
                        "nightly  30 3 * * *  UTC   alice  2026-12-02T03:30:00Z  2026-12-01T03:30:00Z  skipped  -  "
                                + "  prefetch  s3://data/train/",
                        "nightly: its last job, j1, is still running");
        server.on("GET /api/v1/schedules", PlannedResponse.json(200, "{\"schedules\":[]}"));
        assertThat(CommandHarness.at(server, folder)
                        .run("jobs", "schedules")
                        .out()
                        .strip())
                .isEqualTo("no schedules");
    }

    /** Whoever looks over a shoulder sees no signature. */
    @Test
    void aUrlIsReportedWithoutItsQuery() {
        for (String from : List.of(
                "{\"urls\":[\"https://h/d/1.tar?sig=secret k\"]}",
                "{\"template\":\"https://h/d/{1..2}.tar?sig=secret\"}")) {
            String job = JobFixtures.json("running", 25).replace("{\"bucket\":\"data\",\"prefix\":\"train/\"}", from);
            server.on("GET /api/v1/jobs?limit=20", PlannedResponse.json(200, "{\"jobs\":[" + job + "]}"));

            assertThat(CommandHarness.at(server, folder).run("jobs").out())
                    .contains("https://h/d/")
                    .doesNotContain("secret");
        }
    }

    @Test
    void aLongListComesInPages() {
        String job = JobFixtures.json("done", 100);
        server.on(
                        "GET /api/v1/jobs?limit=3",
                        PlannedResponse.json(200, "{\"jobs\":[" + job + "," + job + "],\"next\":\"j7\"}"))
                .on(
                        "GET /api/v1/jobs?limit=1&before=j7",
                        PlannedResponse.json(200, "{\"jobs\":[" + job + "],\"next\":\"j8\"}"));

        assertThat(CommandHarness.at(server, folder)
                        .run("jobs", "list", "--limit", "3", "--json")
                        .out()
                        .lines())
                .containsExactly(job, job, job);
    }

    @Test
    void onlyJobsInTheStatesAreListed() {
        String job = JobFixtures.json("failed", 25);
        server.on(
                "GET /api/v1/jobs?limit=20&state=failed%2Cactive",
                PlannedResponse.json(200, "{\"jobs\":[" + job + "]}"));

        assertThat(CommandHarness.at(server, folder)
                        .run("jobs", "--state", "failed,active", "--json")
                        .out()
                        .lines())
                .containsExactly(job);
    }

    @ParameterizedTest
    @CsvSource({"pause, paused", "resume, submitted", "cancel, cancelled"})
    void aWordSteersAJob(String word, String state) {
        server.on("POST /api/v1/jobs/j1/" + word, PlannedResponse.json(200, JobFixtures.json(state, 1)));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("jobs", word, "j1");

        assertThat(result).isEqualTo(new CommandHarness.Result(0, "job j1 is " + state + System.lineSeparator(), ""));
    }

    @ParameterizedTest
    @CsvSource({"pause, paused", "resume, submitted", "cancel, cancelled"})
    void actionOnSeveralJobsContinuesAfterAFailure(String word, String state) {
        server.on("POST /api/v1/jobs/j1/" + word, PlannedResponse.json(200, JobFixtures.json(state, 1)))
                .on(
                        "POST /api/v1/jobs/j3/" + word,
                        PlannedResponse.json(200, JobFixtures.json(state, 1).replace("j1", "j3")));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("jobs", word, "j1", "j2", "j3");

        assertThat(result.out().lines()).containsExactly("job j1 is " + state, "job j3 is " + state);
        assertThat(result.err()).startsWith("millrace: job j2: ");
        assertThat(result.code()).isEqualTo(1);
    }

    @Test
    void retryPrintsTheNewJobAndCanWait() {
        server.on("POST /api/v1/jobs/j0/retry", PlannedResponse.json(201, JobFixtures.json("done", 100)));

        assertThat(CommandHarness.at(server, folder).run("jobs", "retry", "j0").out())
                .startsWith("job j1 (prefetch) is done. To follow it: millrace jobs watch j1");
        CommandHarness.Result waited = CommandHarness.at(server, folder).run("jobs", "retry", "j0", "--wait");
        assertThat(waited.out()).startsWith("job j1 (prefetch) is done: 100 objects done");
        assertThat(waited.code()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"pause, pausing", "cancel, cancelling"})
    void runningJobIsNotReportedAsStopped(String word, String state) {
        server.on("POST /api/v1/jobs/j1/" + word, PlannedResponse.json(200, JobFixtures.json(state, 1)));

        assertThat(CommandHarness.at(server, folder).run("jobs", word, "j1").out())
                .isEqualTo("job j1 is %s: it begins nothing new".formatted(state) + System.lineSeparator());
    }

    @Test
    void deletesAnEndedJob() {
        server.on("DELETE /api/v1/jobs/j1", PlannedResponse.of(204));

        assertThat(CommandHarness.at(server, folder).run("jobs", "delete", "j1").out())
                .startsWith("job j1 is deleted");
    }

    @Test
    void printsOneEscapedFailurePerLine() {
        server.on(
                        "GET /api/v1/jobs/j1/failures",
                        PlannedResponse.json(200, "{\"failures\":[{\"key\":\"a\",\"reason\":\"gone\"}],\"next\":1}"))
                .on(
                        "GET /api/v1/jobs/j1/failures?after=1",
                        PlannedResponse.json(
                                200, "{\"failures\":[{\"key\":\"b\\n\\u001b[2J\\u202e\",\"reason\":\"r\"}]}"));

        assertThat(CommandHarness.at(server, folder)
                        .run("jobs", "failures", "j1")
                        .out()
                        .lines())
                .containsExactly("a\tgone", "b\\u000a\\u001b[2J\\u202e\tr");
        assertThat(CommandHarness.at(server, folder)
                        .run("jobs", "failures", "j1", "--json")
                        .out()
                        .lines())
                .first()
                .isEqualTo("{\"key\":\"a\",\"reason\":\"gone\"}");
    }

    @Test
    void anIdIsOneStepOfAPath() {
        CommandHarness.Result result = CommandHarness.at(server, folder).run("jobs", "delete", "../status?x=1");

        assertThat(result.code()).isEqualTo(1);
        assertThat(server.lines()).containsExactly("DELETE /api/v1/jobs/..%2Fstatus%3Fx%3D1");
    }

    @Test
    void aJobIsShownAsAnOutline() {
        server.on("GET /api/v1/jobs/j1", PlannedResponse.json(200, JobFixtures.json("done", 100)));

        assertThat(CommandHarness.at(server, folder)
                        .run("jobs", "show", "j1")
                        .out()
                        .lines())
                .startsWith("job j1 done: 100%, 100/100 objects, 100/100 MiB")
                .contains("state      done", "request", "    bucket  data", "  moved bytes     100 MiB")
                .noneMatch(line -> line.startsWith("message"));
    }

    /** The share of what is known was read as the share of the bucket. */
    @Test
    void residencyReportsWhatIsCachedAndNoShare() {
        server.on(
                "GET /api/v1/residency?bucket=data&prefix=a%20b%2F&from=",
                PlannedResponse.json(
                        200, "{\"objects\":1,\"bytes\":4096,\"cachedObjects\":1,\"cachedBytes\":4096,\"read\":1}"));

        assertThat(CommandHarness.at(server, folder)
                        .run("residency", "s3://data/a b/")
                        .out()
                        .lines())
                .containsExactly("s3://data/a b/: 4.0 KiB cached of 1 object");
    }

    @Test
    void residencyNamesTheMembersThatDoNotRespond() {
        server.on(
                "GET /api/v1/residency?bucket=data&prefix=&from=",
                PlannedResponse.json(
                        200, "{\"cachedObjects\":1,\"cachedBytes\":1024,\"read\":0.3,\"next\":\"gw-1@\"}"));
        server.on(
                "GET /api/v1/residency?bucket=data&prefix=&from=gw-1%40",
                PlannedResponse.json(
                        200,
                        "{\"cachedObjects\":0,\"cachedBytes\":0,\"read\":0.6,\"next\":\"gw-2@\","
                                + "\"unanswered\":{\"member\":\"gw-1\",\"problem\":\"no response within 10 s\"}}"));
        server.on(
                "GET /api/v1/residency?bucket=data&prefix=&from=gw-2%40",
                PlannedResponse.json(200, "{\"cachedObjects\":2,\"cachedBytes\":1024,\"read\":1}"));

        CommandHarness.Result result = CommandHarness.at(server, folder).run("residency", "s3://data/");

        assertThat(result.out().lines())
                .containsExactly(
                        "s3://data: 2.0 KiB cached of 3 objects", "Without member gw-1: no response within 10 s");
        assertThat(result.code()).isEqualTo(1);
    }

    @Test
    void residencyOfADerivedBucketNamesTheOneWithTheArchives() {
        server.on(
                "GET /api/v1/residency?bucket=samples&prefix=&from=",
                PlannedResponse.json(
                        200,
                        "{\"derivedFrom\":\"shards\",\"objects\":0,\"bytes\":0,\"cachedObjects\":0,\"cachedBytes\":0,"
                                + "\"read\":1}"));

        assertThat(CommandHarness.at(server, folder)
                        .run("residency", "s3://samples/")
                        .out())
                .startsWith("s3://samples: its objects are cached as parts of those of s3://shards,")
                .doesNotContain("0 objects");
    }

    @Test
    void completionKnowsEveryCommand() {
        assertThat(new CommandHarness(folder).run("completion").out())
                .contains("prefetch", "copy", "download", "evict", "verify", "residency", "failures", "--keys-from");
    }

    @Test
    void suggestsTheSubcommandThatWasMeant() {
        CommandHarness.Result result = new CommandHarness(folder).run("jobs", "lits");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains("Did you mean: list?", "See: millrace jobs --help");
    }
}
