package io.millrace.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.loadgen.origin.SyntheticOrigin;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Tests the commands as a user and as the benchmarks of this project run them. */
class LoadgenApplicationTest {
    @TempDir
    private Path folder;

    private DisposableServer origin;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void listen() {
        origin = new SyntheticOrigin(Duration.ZERO).listen("127.0.0.1", 0);
    }

    @AfterEach
    void stop() {
        origin.disposeNow();
    }

    @Test
    void readPrintsValuesAndTheVerifiedKeys() throws IOException {
        Path completed = folder.resolve("completed");

        int code = execute(
                "read",
                "--url",
                url() + "/data",
                "--objects",
                "20",
                "--size",
                "64KiB",
                "--workers",
                "4",
                "--completed",
                completed.toString());

        assertThat(code).isZero();
        assertThat(out.toString()).contains("right=20\n").contains("wrong=0\n").contains("whole_ms_p99=");
        assertThat(Files.readAllLines(completed))
                .hasSize(20)
                .allMatch(line -> line.matches("\\d+ object/\\d{10}/65536"));
    }

    @Test
    void readOfKeysInAFileComparesTheirBytes() throws IOException {
        Path keys = Files.writeString(folder.resolve("keys"), "a/10\nb/17000000\n");

        int code = execute("read", "--url", url() + "/data", "--keys", keys.toString());

        assertThat(code).isZero();
        assertThat(out.toString()).contains("right=2\n").contains("bytes=17000010\n");
    }

    @Test
    void resultsCanBeMergedComparedAndReported() {
        Path first = folder.resolve("1.json");
        Path second = folder.resolve("2.json");
        Path html = folder.resolve("report.html");

        assertThat(bench("--worker", "1/2", "--json", first.toString())).isZero();
        assertThat(bench("--worker", "2/2", "--json", second.toString())).isZero();
        assertThat(execute("bench", "merge", first.toString(), second.toString()))
                .isZero();
        assertThat(out.toString()).contains("100 ");
        assertThat(execute("bench", "compare", "--base", first.toString(), "--other", second.toString()))
                .isZero();
        assertThat(out.toString()).contains("operations/s").contains("one run only");
        assertThat(execute("bench", "report", first.toString(), "--html", html.toString()))
                .isZero();
        assertThat(html).exists();
    }

    @Test
    void keysFileNamesTheObjectsAndTheirSizes() throws IOException {
        Path keys = Files.writeString(folder.resolve("keys"), "a/70000\t70000\nb/80000\t80000\n");

        assertThat(bench("--keys-file", keys.toString(), "--operations", "tail", "--range-size", "100"))
                .isZero();
        assertThat(out.toString()).contains("tail ").contains(" 2 ");

        Files.writeString(keys, "a/70000\t50\n");
        assertThat(bench("--keys-file", keys.toString(), "--no-verify")).isOne();
        assertThat(out.toString()).contains("another length than the object's");
    }

    @Test
    void missingObjectsAreReportedToEachProcess() {
        // The origin has only keys that end in a size, and refuses uploads.
        assertThat(bench("--prefix", "a%", "--upload-only")).isZero();
        assertThat(execute(
                        "bench",
                        "run",
                        "--endpoint",
                        url(),
                        "--bucket",
                        "data",
                        "--anonymous",
                        "--upload-only",
                        "--no-upload"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("exclude each other");
    }

    @Test
    void numbersOfFilesHaveAPointInEveryLocale() throws IOException {
        java.util.Locale usual = java.util.Locale.getDefault();
        java.util.Locale.setDefault(java.util.Locale.GERMANY);
        try {
            Path csv = folder.resolve("result.csv");
            assertThat(bench("--csv", csv.toString())).isZero();
            assertThat(Files.readAllLines(csv).get(1).split(","))
                    .hasSameSizeAs(Files.readAllLines(csv).get(0).split(","));
        } finally {
            java.util.Locale.setDefault(usual);
        }
    }

    @Test
    void wrongScenarioIsWrongUsage() {
        assertThat(execute("bench", "run", "missing.yaml", "--endpoint", url(), "--bucket", "b", "--anonymous"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("missing.yaml");
    }

    @Test
    void wrongOptionIsReportedAsInAFile() {
        assertThat(bench("--connections", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("connections").contains("is not a number of connections");
    }

    @Test
    void unknownHostIsAClearMessage() {
        int code = execute("bench", "run", "--endpoint", "http://nobody.invalid", "--bucket", "b", "--anonymous");

        assertThat(code).isOne();
        assertThat(err.toString()).contains("cannot reach http://nobody.invalid/b/");
    }

    @Test
    void coldPhaseFailsIfACacheAnswers() {
        DisposableServer cache = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle((request, response) -> {
                    response.header("cache-status", "millrace; hit").header("content-length", "4096");
                    return request.method().equals(HttpMethod.HEAD)
                            ? response.send()
                            : response.sendByteArray(Mono.just(new byte[4096]));
                })
                .bindNow();
        try {
            assertThat(coldWarm(cache.port())).isOne();
            assertThat(out.toString())
                    .contains("NOT COLD: 20 of 20 responses were hits")
                    .contains("--upload-only");
        } finally {
            cache.disposeNow();
        }
        out.getBuffer().setLength(0);

        assertThat(coldWarm(origin.port())).isZero();
        assertThat(out.toString()).contains("Cache-Status: 0 hit, 0 miss, 20 other or none");
    }

    private int coldWarm(int port) {
        return execute(
                "bench",
                "run",
                "cold-warm",
                "--endpoint",
                "http://127.0.0.1:" + port,
                "--bucket",
                "data",
                "--anonymous",
                "--objects",
                "20",
                "--size",
                "4KiB",
                "--no-verify");
    }

    @Test
    void optionsOutOfRangeAreNamed() {
        assertThat(bench("--rate", "0", "-c", "0")).isEqualTo(2);

        assertThat(err.toString())
                .contains("2 problems", "--rate: 0.0", "-c, --connections: 0")
                .doesNotContain("phases");
    }

    private int bench(String... more) {
        String[] common = {
            "bench",
            "run",
            "get",
            "--endpoint",
            url(),
            "--bucket",
            "data",
            "--anonymous",
            "--objects",
            "100",
            "--order",
            "sequential",
            "--count",
            "1x",
            "--size",
            "4KiB"
        };
        String[] all = java.util.Arrays.copyOf(common, common.length + more.length);
        System.arraycopy(more, 0, all, common.length, more.length);
        return execute(all);
    }

    private String url() {
        return "http://127.0.0.1:" + origin.port();
    }

    private int execute(String... args) {
        CommandLine commands = LoadgenApplication.commands();
        commands.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commands.execute(args);
    }
}
