package io.millrace.loadgen;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.HdrHistogram.Histogram;

/**
 * Writes a report of one or more runs as one HTML file that needs no other: tables, throughput and latency over time,
 * and percentile curves, by the chart library uPlot. Blocks.
 */
final class HtmlReport {
    private static final String RESOURCE = "/io/millrace/loadgen/report.html";
    private static final String UPLOT = "/META-INF/resources/webjars/uplot/%s/dist/";
    private static final String UPLOT_POM = "/META-INF/maven/org.webjars.npm/uplot/pom.properties";
    private static final double MICROS_PER_MS = 1000;

    /** Percentiles of the curve: each halves the distance to 100 in four steps. */
    private static final int CURVE_STEPS_PER_HALVING = 4;

    private static final int CURVE_HALVINGS = 17;

    /** Seconds; a phase that was stopped at once has rates too. */
    private static final double SHORTEST = 1e-3;

    /** Significant digits of the latencies of all operations together. */
    private static final int SUMMARY_DIGITS = 3;

    private HtmlReport() {}

    /** Writes the report; {@code comparison} may be empty. */
    static void write(Path file, List<RunResult> runs, List<RunComparison.Line> comparison) throws IOException {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("runs", runs.stream().map(HtmlReport::run).toList());
        data.put("comparison", comparison.stream().map(HtmlReport::line).toList());
        String uplot = UPLOT.formatted(uplotVersion());
        String page = resource(RESOURCE)
                .replace("/*UPLOT_CSS*/", resource(uplot + "uPlot.min.css"))
                .replace("/*UPLOT_JS*/", resource(uplot + "uPlot.iife.min.js"))
                .replace("\"DATA\"", ResultFile.toJson(data).replace("<", "\\u003c"));
        Files.writeString(file, page);
    }

    private static Map<String, Object> run(RunResult run) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("label", run.label());
        shown.put("scenario", run.scenario());
        shown.put("endpoints", run.endpoints());
        shown.put("client", run.client());
        shown.put("objects", run.objects() == null ? "" : run.objects());
        shown.put("processes", run.processes());
        shown.put("phases", run.phases().stream().map(HtmlReport::phase).toList());
        return shown;
    }

    private static Map<String, Object> phase(PhaseResult phase) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("name", phase.name());
        shown.put("settings", phase.settings());
        shown.put("startedAt", phase.startedAt());
        shown.put("seconds", phase.seconds());
        shown.put("summary", summary(phase));
        shown.put("text", ResultTextTable.of(phase));
        shown.put("series", phase.series());
        shown.put("curves", phase.operations().stream().map(HtmlReport::curve).toList());
        return shown;
    }

    /**
     * Returns what a reader looks for first: rates, the latencies of all operations together, hits and what went wrong.
     */
    private static Map<String, Object> summary(PhaseResult phase) {
        Histogram micros = new Histogram(SUMMARY_DIGITS);
        double seconds = Math.max(phase.seconds(), SHORTEST);
        phase.operations().forEach(operation -> micros.add(operation.whole().decode()));
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("operationsPerSecond", phase.right() / seconds);
        shown.put("bytesPerSecond", phase.bytes() / seconds);
        shown.put("p50Ms", micros.getValueAtPercentile(50) / MICROS_PER_MS);
        shown.put("p99Ms", micros.getValueAtPercentile(99) / MICROS_PER_MS);
        shown.put("hitShare", phase.right() == 0 ? 0 : (double) phase.hits() / phase.right());
        shown.put("notRight", phase.notRight());
        return shown;
    }

    private static Map<String, Object> curve(OperationResult operation) {
        Histogram micros = operation.whole().decode();
        List<Double> halvings = new ArrayList<>();
        List<Double> milliseconds = new ArrayList<>();
        for (int step = 0; step <= CURVE_HALVINGS * CURVE_STEPS_PER_HALVING; step++) {
            double halving = (double) step / CURVE_STEPS_PER_HALVING;
            double beyond = Math.pow(0.5, halving);
            if (beyond * micros.getTotalCount() < 1) {
                break;
            }
            halvings.add(halving);
            milliseconds.add(micros.getValueAtPercentile(100 * (1 - beyond)) / MICROS_PER_MS);
        }
        return Map.of("operation", operation.type(), "halvings", halvings, "ms", milliseconds);
    }

    private static Map<String, Object> line(RunComparison.Line line) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("phase", line.phase());
        shown.put("operation", line.operation());
        shown.put("metric", line.metric());
        shown.put("base", line.base());
        shown.put("other", line.other());
        shown.put("ratio", line.ratio());
        shown.put("low", Double.isNaN(line.low()) ? null : line.low());
        shown.put("high", Double.isNaN(line.high()) ? null : line.high());
        return shown;
    }

    private static String uplotVersion() {
        try (InputStream in = Objects.requireNonNull(HtmlReport.class.getResourceAsStream(UPLOT_POM))) {
            Properties properties = new Properties();
            properties.load(in);
            return Objects.requireNonNull(properties.getProperty("version"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(HtmlReport.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
