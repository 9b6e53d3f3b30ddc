package io.millrace.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the files of results, their merging and their comparison. */
class ResultFileTest {
    @TempDir
    private Path folder;

    @Test
    void resultIsReadAsItWasWritten() throws IOException {
        RunResult result = run("a", 0, 100, 2000);
        Path file = folder.resolve("a.json");

        ResultFile.write(file, result);

        assertThat(ResultFile.read(file)).isEqualTo(result);
    }

    @Test
    void fileOfSomethingElseIsRefusedByName() throws IOException {
        Path file = Files.writeString(folder.resolve("b.json"), "[1, 2]");

        assertThatThrownBy(() -> ResultFile.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("b.json is not a result");
    }

    @Test
    void mergedLatenciesAreThoseOfAllProcesses() {
        RunResult merged = ResultMerger.merge(List.of(run("a", 0, 900, 1000), run("a", 1000, 100, 50_000)));

        PhaseResult phase = merged.phases().get(0);
        OperationResult gets = phase.operations().get(0);
        assertThat(gets.right()).isEqualTo(1000);
        assertThat(gets.whole().at(50)).isCloseTo(1, within(0.01));
        assertThat(gets.whole().at(95)).isCloseTo(50, within(0.1));
        assertThat(phase.seconds()).isEqualTo(11);
        assertThat(phase.series()).extracting(SeriesPoint::atSecond).containsExactly(0.0, 1.0);
    }

    @Test
    void resultsOfDifferentScenariosAreNotMerged() {
        RunResult other = new RunResult("b", "other", List.of(), "", "", 1, List.of());

        assertThatThrownBy(() -> ResultMerger.merge(List.of(run("a", 0, 1, 1), other)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void comparisonFindsDifferencesAboveTheSpread() {
        List<RunResult> base = List.of(run("a", 0, 1000, 1000), run("a", 0, 1010, 1010), run("a", 0, 990, 990));
        List<RunResult> half = List.of(run("b", 0, 500, 2000), run("b", 0, 505, 2020), run("b", 0, 495, 1980));

        RunComparison.Line rate = RunComparison.compare(base, half).get(0);
        RunComparison.Line same = RunComparison.compare(base, base).get(0);

        assertThat(rate.ratio()).isCloseTo(0.5, within(0.01));
        assertThat(rate.low()).isGreaterThan(0.45);
        assertThat(rate.high()).isLessThan(0.55);
        assertThat(rate.isDifferent()).isTrue();
        assertThat(same.isDifferent()).isFalse();
    }

    @Test
    void comparisonOfSingleRunsHasNoInterval() {
        RunComparison.Line line = RunComparison.compare(List.of(run("a", 0, 10, 1)), List.of(run("b", 0, 20, 1)))
                .get(0);

        assertThat(line.ratio()).isCloseTo(2, within(0.01));
        assertThat(line.low()).isNaN();
        assertThat(line.isDifferent()).isFalse();
    }

    @Test
    void reportNeedsNoOtherFileAndEscapesItsData() throws IOException {
        Path file = folder.resolve("report.html");

        HtmlReport.write(file, List.of(run("</script><b>", 0, 10, 1)), List.of());

        assertThat(file)
                .content()
                .contains("uPlot")
                .contains("10 objects of 1MiB")
                .doesNotContain("</script><b>")
                .doesNotContain("<script src")
                .doesNotContain("<link");
    }

    @Test
    void reportSaysWhatWasRunWhereAndWhetherBytesWereVerified() throws IOException {
        Path file = folder.resolve("report.html");

        HtmlReport.write(file, List.of(run("a", 0, 10, 1)), List.of());

        assertThat(file)
                .content()
                .contains("\"endpoints\":[\"http://127.0.0.1/b/\"]", "run.endpoints.join")
                .contains("\"client\":\"Linux, 4 processors\"", "on ${run.client}")
                .contains("read (get, verified): 10.0 s", "run.phase.text");
    }

    @Test
    void reportBeginsWithRatesHitsAndHowPhasesCompare() throws IOException {
        Path file = folder.resolve("report.html");

        HtmlReport.write(file, List.of(run("a", 0, 10, 1)), List.of());

        assertThat(file)
                .content()
                .contains("\"summary\":{\"operationsPerSecond\":1.0,")
                .contains("\"hitShare\":0.5,\"notRight\":0")
                .contains("times the first phase");
    }

    @Test
    void axesOfTheReportBeginAtZeroButThoseOfLatency() throws IOException {
        Path file = folder.resolve("report.html");

        HtmlReport.write(file, List.of(run("a", 0, 10, 1)), List.of());

        List<String> charts = Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> line.matches("(chart|overTime)\\(charts,.*"))
                .toList();
        assertThat(charts).hasSize(4);
        assertThat(charts)
                .filteredOn(line -> !line.contains("Latency"))
                .hasSize(2)
                .allMatch(line -> line.endsWith("linear);"));
        assertThat(charts)
                .filteredOn(line -> line.contains("Latency"))
                .allMatch(line -> line.contains("ms, logarithmic"));
        assertThat(file)
                .content()
                .contains(
                        "fromZero = { range: (u, min, max) => [0,",
                        "linear = { x: { time: false, range: (u, min, max) => [0,");
    }

    /** The chart draws labels beyond its edge too, of which one was cut. */
    @Test
    void percentilesBeyondTheCurveHaveNoLabel() throws IOException {
        Path file = folder.resolve("report.html");

        HtmlReport.write(file, List.of(run("a", 0, 10, 1)), List.of());

        assertThat(file)
                .content()
                .contains("splits: (u, axis, min, max) =>", ".filter(v => v >= min && v <= max)")
                .doesNotContain("splits: () =>");
    }

    @Test
    void tableHasOneLinePerOperation() throws IOException {
        Path file = folder.resolve("a.csv");
        CsvFile.write(file, List.of(run("a", 0, 10, 1000)));

        assertThat(file)
                .content()
                .contains("first_byte_p50_ms")
                .contains("\"a\",\"scenario\",\"read\",get,10.000,10,0,0,5,2,1000");
        assertThat(ResultTextTable.of(run("a", 0, 10, 1000).phases().get(0)))
                .contains("get")
                .contains("first byte")
                .contains("p99.99");
    }

    @Test
    void tableSaysWhatTheCacheAndTheClientDid() {
        assertThat(ResultTextTable.of(run("a", 0, 10, 1000).phases().get(0)))
                .contains("Cache-Status: 5 hit, 2 miss, 3 other or none")
                .doesNotContain("CLIENT-BOUND")
                .doesNotContain("NOT COLD");
        assertThat(ResultTextTable.of(run("a", 0, 10, 1000, 0.97, true).phases().get(0)))
                .contains("CLIENT-BOUND: the load generator used 97 % of its CPU")
                .contains("NOT COLD: 5 of 10 responses were hits");
    }

    @Test
    void resultsOfEarlierVersionsCanBeRead() throws IOException {
        Path file = folder.resolve("old.json");
        Files.writeString(file, """
                {"label":"a","scenario":"get","endpoints":[],"client":"Linux","processes":1,"phases":[{"name":"read",\
                "settings":"get","startedAt":1,"seconds":2.0,"targetRate":0.0,"unsent":0,"clientCpuSeconds":1.0,\
                "stopped":"","operations":[],"series":[],"failures":[]}]}""");

        assertThat(ResultFile.read(file).phases().get(0).isClientBound()).isFalse();
    }

    /** A run of ten seconds with {@code count} reads of equal latency, which began {@code startedAt} ms after 1970. */
    private static RunResult run(String label, long startedAt, long count, long micros) {
        return run(label, startedAt, count, micros, 0.5, false);
    }

    private static RunResult run(String label, long startedAt, long count, long micros, double share, boolean cold) {
        Histogram histogram = new Histogram(3_600_000_000L, 3);
        histogram.recordValueWithCount(micros, count);
        LatencyResult latency = LatencyResult.of(histogram);
        OperationResult gets = new OperationResult(
                OperationType.GET, count, 0, 0, count / 2, count / 5, count * 100, latency, latency);
        SeriesPoint point = new SeriesPoint(0, 1, count, 0, count * 100, 1, 2, 3);
        PhaseResult phase = new PhaseResult(
                "read",
                "get, verified",
                startedAt,
                10,
                0,
                0,
                1,
                share,
                cold,
                "",
                List.of(gets),
                List.of(point),
                List.of());
        return new RunResult(
                label,
                "scenario",
                List.of("http://127.0.0.1/b/"),
                "Linux, 4 processors",
                "10 objects of 1MiB",
                1,
                List.of(phase));
    }
}
