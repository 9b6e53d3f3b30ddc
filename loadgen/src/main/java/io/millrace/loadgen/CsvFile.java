package io.millrace.loadgen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes results as a CSV file, one line per phase and kind of operation. Blocks. */
final class CsvFile {
    private CsvFile() {}

    /** Writes the results of one or more runs. */
    static void write(Path file, List<RunResult> runs) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("run,scenario,phase,operation,seconds,right,failed,wrong,hits,misses,bytes,first_byte_mean_ms,"
                + columns("first_byte") + ",first_byte_max_ms,mean_ms," + columns("whole") + ",max_ms");
        for (RunResult run : runs) {
            for (PhaseResult phase : run.phases()) {
                phase.operations().forEach(operation -> lines.add(line(run, phase, operation)));
            }
        }
        Files.write(file, lines);
    }

    private static String columns(String latency) {
        return LatencyResult.PERCENTILES.stream()
                .map(percentile -> latency + '_' + LatencyResult.name(percentile) + "_ms")
                .collect(Collectors.joining(","));
    }

    private static String line(RunResult run, PhaseResult phase, OperationResult operation) {
        return String.join(
                ",",
                quote(run.label()),
                quote(run.scenario()),
                quote(phase.name()),
                operation.type().name().toLowerCase(Locale.ROOT),
                decimal(phase.seconds()),
                Long.toString(operation.right()),
                Long.toString(operation.failed()),
                Long.toString(operation.wrong()),
                Long.toString(operation.hits()),
                Long.toString(operation.misses()),
                Long.toString(operation.bytes()),
                latencies(operation.firstByte()),
                latencies(operation.whole()));
    }

    private static String latencies(LatencyResult latency) {
        String percentiles = LatencyResult.PERCENTILES.stream()
                .map(percentile -> decimal(latency.at(percentile)))
                .collect(Collectors.joining(","));
        return decimal(latency.meanMs()) + ',' + percentiles + ',' + decimal(latency.maxMs());
    }

    /** Formats with a point in every locale: a comma would be another column. */
    private static String decimal(double number) {
        return String.format(Locale.ROOT, "%.3f", number);
    }

    private static String quote(String text) {
        return '"' + text.replace("\"", "\"\"") + '"';
    }
}
