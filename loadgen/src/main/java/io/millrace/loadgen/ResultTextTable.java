package io.millrace.loadgen;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Formats results as tables for a terminal. */
final class ResultTextTable {
    private static final double MIB = 1 << 20;
    private static final double MICROS = 1e6;

    private ResultTextTable() {}

    /** Returns the table of a phase, with what failed and what to know about its figures. */
    static String of(PhaseResult phase) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("", "ops", "ops/s", "MiB/s", "p50", "p90", "p99", "p99.9", "p99.99", "max ms"));
        for (OperationResult operation : phase.operations()) {
            String name = operation.type().name().toLowerCase(Locale.ROOT);
            double perSecond = operation.right() / phase.seconds();
            double rate = operation.bytes() / phase.seconds() / MIB;
            rows.add(row(name, count(operation.right()), decimal(perSecond), decimal(rate), operation.whole()));
            if (operation.type().isRead()) {
                rows.add(row("  first byte", "", "", "", operation.firstByte()));
            }
        }
        StringBuilder text =
                new StringBuilder(format("%s (%s): %.1f s%n", phase.name(), phase.settings(), phase.seconds()));
        text.append(aligned(rows));
        notes(phase).forEach(note -> text.append("  ").append(note).append(System.lineSeparator()));
        return text.toString();
    }

    /** Returns the table of a comparison. */
    static String of(List<RunComparison.Line> lines) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("phase", "operation", "", "base", "other", "ratio", "95 % interval"));
        for (RunComparison.Line line : lines) {
            String interval = Double.isNaN(line.low())
                    ? "one run only"
                    : format("%.3f to %.3f%s", line.low(), line.high(), line.isDifferent() ? " *" : "");
            rows.add(List.of(
                    line.phase(),
                    line.operation(),
                    line.metric(),
                    decimal(line.base()),
                    decimal(line.other()),
                    format("%.3f", line.ratio()),
                    interval));
        }
        return aligned(rows) + "* the difference is significant" + System.lineSeparator();
    }

    private static List<String> row(String name, String ops, String perSecond, String rate, LatencyResult latency) {
        return List.of(
                name,
                ops,
                perSecond,
                rate,
                decimal(latency.at(50)),
                decimal(latency.at(90)),
                decimal(latency.at(99)),
                decimal(latency.at(99.9)),
                decimal(latency.at(99.99)),
                decimal(latency.maxMs()));
    }

    private static List<String> notes(PhaseResult phase) {
        List<String> notes = new ArrayList<>();
        long all = phase.right() + phase.notRight();
        if (all > 0) {
            notes.add(format("client CPU: %.1f µs per operation", phase.clientCpuSeconds() * MICROS / all));
        }
        if (phase.isClientBound()) {
            notes.add(format(
                    "CLIENT-BOUND: the load generator used %.0f %% of its CPU, so that the endpoint may be faster: use"
                            + " more machines, or --no-verify",
                    100 * phase.clientCpuShare()));
        }
        caches(phase).ifPresent(notes::add);
        if (phase.isWarmInsteadOfCold()) {
            notes.add(
                    ("NOT COLD: %s of %s responses were hits, so that the cache had objects beforehand: evict them, as"
                                    + " with millrace evict, or use another --prefix. If the upload itself filled it,"
                                    + " run --upload-only with the endpoint of the store first")
                            .formatted(count(phase.hits()), count(phase.right())));
        }
        long wrong =
                phase.operations().stream().mapToLong(OperationResult::wrong).sum();
        if (wrong > 0) {
            notes.add("WRONG BYTES: %s operations".formatted(count(wrong)));
        }
        for (FailureCount failure : phase.failures()) {
            notes.add("failed: %s × %s (as %s)".formatted(count(failure.count()), failure.reason(), failure.example()));
        }
        if (all == 0) {
            notes.add("nothing was measured: the phase ended before its first operation, or in its warm-up");
        }
        if (!phase.isRateReached()) {
            notes.add(format(
                    "the rate of %.0f/s was not reached: %s operations were due but not sent; the latencies include"
                            + " their wait",
                    phase.targetRate(), count(phase.unsent())));
        }
        if (!phase.stopped().isEmpty()) {
            notes.add("ended early: " + phase.stopped());
        }
        return notes;
    }

    /** Returns the parts of caches in the reads; empty without reads. */
    private static Optional<String> caches(PhaseResult phase) {
        List<OperationResult> reads = phase.operations().stream()
                .filter(operation -> operation.type().isRead())
                .toList();
        long hits = reads.stream().mapToLong(OperationResult::hits).sum();
        long misses = reads.stream().mapToLong(OperationResult::misses).sum();
        long all = reads.stream().mapToLong(OperationResult::right).sum();
        return reads.isEmpty()
                ? Optional.empty()
                : Optional.of("Cache-Status: %s hit, %s miss, %s other or none"
                        .formatted(count(hits), count(misses), count(all - hits - misses)));
    }

    /** Aligns text to the left and, where the last row has a number, to the right. */
    private static String aligned(List<List<String>> rows) {
        List<String> last = rows.get(rows.size() - 1);
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder(" ");
            for (int column = 0; column < row.size(); column++) {
                String padding =
                        " ".repeat(width(rows, column) - row.get(column).length());
                boolean isText = column == 0 || last.get(column).matches("[^0-9].*");
                line.append(' ').append(isText ? row.get(column) + padding : padding + row.get(column));
            }
            text.append(line.toString().stripTrailing()).append(System.lineSeparator());
        }
        return text.toString();
    }

    private static int width(List<List<String>> rows, int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }

    private static String count(long number) {
        return format("%,d", number);
    }

    private static String decimal(double number) {
        return format(number >= 100 ? "%,.0f" : number >= 10 ? "%.1f" : number >= 1 ? "%.2f" : "%.3f", number);
    }

    /** Formats numbers alike in every locale. */
    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
