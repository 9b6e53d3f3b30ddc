package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the commands as processes against a real server. */
class CommandLineTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static ApiServer server;

    /** Result of a command. */
    private record Ran(int code, String output) {
        List<String> lines() {
            return output.lines().toList();
        }
    }

    @BeforeAll
    static void start() throws Exception {
        server = ApiServer.start(folder);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void jobIsSubmittedAwaitedListedAndDeleted() throws Exception {
        Ran job = run("prefetch", "s3://data/o-", "--glob", "0*", "--wait");
        assertThat(job.code()).isZero();
        assertThat(job.lines().get(job.lines().size() - 1)).contains("(prefetch) is done: 10 objects done");

        Ran list = run("jobs");
        assertThat(list.lines().get(1)).contains("prefetch  done", "10/10", "s3://data/o- glob=0*");

        String id = list.lines().get(1).substring(0, list.lines().get(1).indexOf(' '));
        assertThat(run("jobs", "delete", id)).isEqualTo(new Ran(0, "job " + id + " is deleted\n"));
        assertThat(run("jobs", "show", id).code()).isEqualTo(1);
    }

    @Test
    void reportsServerErrorsByOptionName() throws Exception {
        assertThat(run("prefetch", "s3://data", "--workers", "999"))
                .isEqualTo(new Ran(2, "millrace: --workers: is 1 to 256\n"));
        assertThat(run(Map.of("AWS_SECRET_ACCESS_KEY", "wrong"), "jobs").code()).isEqualTo(3);
        assertThat(run(as(ApiServer.ALICE), "status").code()).isEqualTo(3);
    }

    @Test
    void serverAcceptsEveryFieldOfTheOptions() throws Exception {
        Ran job = run(
                "copy",
                "s3://data/o-",
                "s3://other/x-",
                "--glob",
                "1*",
                "--regex",
                "o-.*",
                "--min-size",
                "1",
                "--max-size",
                "1GiB",
                "--newer-than",
                "P9D",
                "--older-than",
                "PT0S",
                "--overwrite",
                "always",
                "--workers",
                "2",
                "--bandwidth",
                "1GiB",
                "--requests-per-second",
                "999",
                "--attempts",
                "1",
                "--dry-run",
                "--client-token",
                "once",
                "--wait",
                "--json");

        assertThat(job.code()).isZero();
        assertThat(job.lines().get(job.lines().size() - 1)).contains("\"state\":\"done\"", "\"found\":10");
    }

    @Test
    void theNextGetIsExplained() throws Exception {
        Ran text = run("explain", "s3://data/o-01");
        assertThat(text.code()).isZero();
        assertThat(text.lines().get(0)).startsWith("The next GET ");
        assertThat(text.output()).containsPattern("backend +local").doesNotContain("sentence");

        assertThat(run("explain", "s3://data/o-01", "--json").lines())
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("{").contains("\"next\":", "\"key\":\"o-01\""));
        assertThat(run("explain", "s3://nowhere/x"))
                .isEqualTo(new Ran(2, "millrace: bucket 'nowhere': is no bucket of this gateway\n"));
    }

    @Test
    void aBucketThatIsNoneIsNamed() throws Exception {
        assertThat(run("prefetch", "s3://nowhere/x"))
                .isEqualTo(new Ran(2, "millrace: bucket 'nowhere': is no bucket of this gateway\n"));
        assertThat(run("copy", "s3://data/x", "s3://nowhere/"))
                .isEqualTo(new Ran(2, "millrace: target bucket 'nowhere': is no bucket of this gateway\n"));
    }

    @Test
    void sourceOfACopyIsNamedAsOne() throws Exception {
        assertThat(run("copy", "s3://nowhere/x", "s3://data/"))
                .isEqualTo(new Ran(2, "millrace: source bucket 'nowhere': is no bucket of this gateway\n"));
    }

    /** The benchmark's own upload goes through the cache, which keeps what is written to it in one piece. */
    @Test
    void coldWarmFindsAColdCacheAtItsFirstUse() throws Exception {
        String[] bench = {
            "bench",
            "run",
            "cold-warm",
            "--endpoint",
            "http://127.0.0.1:" + server.s3Port(),
            "--bucket",
            "other",
            "--objects",
            "20",
            "--size",
            "64KiB"
        };

        Ran first = run(bench);
        assertThat(first.code()).as(first.output()).isZero();
        assertThat(first.output())
                .contains(
                        "are uploaded in parts",
                        "Cache-Status: 0 hit, 20 miss, 0 other or none",
                        "Cache-Status: 20 hit, 0 miss, 0 other or none");

        Ran again = run(bench);
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.output()).contains("NOT COLD: 20 of 20 responses were hits", "evict");
        assertThat(run("evict", "s3://other/bench/cold-warm/", "--wait").code()).isZero();
        assertThat(run(bench).code()).isZero();
    }

    @Test
    void wrongOptionHasEachOfItsNames() throws Exception {
        Ran wrong = run("bench", "run", "--endpoint", "http://127.0.0.1:9", "--bucket", "data", "-n", "0");

        assertThat(wrong.code()).isEqualTo(2);
        assertThat(wrong.output()).contains("'-n, --count'", "'0' is not a number of operations");
    }

    @Test
    void benchNamesTheVariableThatNamesAFile() throws Exception {
        Map<String, String> bundle =
                Map.of("AWS_CA_BUNDLE", folder.resolve("none.pem").toString());

        assertThat(run(bundle, "bench", "run", "--endpoint", "https://127.0.0.1:9", "--bucket", "data", "-n", "1")
                        .output())
                .contains("AWS_CA_BUNDLE: " + folder.resolve("none.pem") + " does not exist")
                .doesNotContain("--ca-bundle");
    }

    private static Ran run(String... arguments) throws IOException, InterruptedException {
        return run(Map.of(), arguments);
    }

    private static Ran run(Map<String, String> variables, String... arguments)
            throws IOException, InterruptedException {
        Map<String, String> environment = new HashMap<>(as(ApiServer.ADMIN));
        environment.put("MILLRACE_ENDPOINT_URL", server.uri("").toString());
        environment.putAll(variables);
        try (MillraceProcess millrace = MillraceProcess.run(folder, environment, arguments)) {
            int code = millrace.exitCode();
            return new Ran(code, millrace.output());
        }
    }

    private static Map<String, String> as(ApiServer.Caller caller) {
        return Map.of(
                "AWS_ACCESS_KEY_ID",
                caller.accessKey(),
                "AWS_SECRET_ACCESS_KEY",
                caller.secret().reveal());
    }
}
