package io.millrace.loadgen;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * Merges the results of processes that ran one scenario at the same time. Latencies are merged exactly. The time series
 * is aligned by clock; the percentiles of its points are the worst of any process.
 */
final class ResultMerger {
    private ResultMerger() {}

    /**
     * Merges results.
     *
     * @throws IllegalArgumentException if they are of different scenarios or phases
     */
    static RunResult merge(List<RunResult> runs) {
        RunResult first = runs.get(0);
        for (RunResult run : runs) {
            if (!run.scenario().equals(first.scenario()) || !names(run).equals(names(first))) {
                throw new IllegalArgumentException(
                        "results of different scenarios or phases cannot be merged: %s %s and %s %s"
                                .formatted(first.scenario(), names(first), run.scenario(), names(run)));
            }
        }
        List<PhaseResult> phases = new ArrayList<>();
        for (int i = 0; i < first.phases().size(); i++) {
            int index = i;
            phases.add(phase(runs.stream().map(run -> run.phases().get(index)).toList()));
        }
        return new RunResult(
                first.label(),
                first.scenario(),
                runs.stream()
                        .flatMap(run -> run.endpoints().stream())
                        .distinct()
                        .toList(),
                first.client(),
                first.objects(),
                runs.stream().mapToInt(RunResult::processes).sum(),
                phases);
    }

    private static List<String> names(RunResult run) {
        return run.phases().stream().map(PhaseResult::name).toList();
    }

    private static PhaseResult phase(List<PhaseResult> parts) {
        PhaseResult first = parts.get(0);
        long start = parts.stream().mapToLong(PhaseResult::startedAt).min().orElseThrow();
        double end = parts.stream()
                .mapToDouble(part -> (part.startedAt() - start) / 1e3 + part.seconds())
                .max()
                .orElseThrow();
        return new PhaseResult(
                first.name(),
                first.settings(),
                start,
                end,
                parts.stream().mapToDouble(PhaseResult::targetRate).sum(),
                parts.stream().mapToLong(PhaseResult::unsent).sum(),
                parts.stream().mapToDouble(PhaseResult::clientCpuSeconds).sum(),
                parts.stream().mapToDouble(PhaseResult::clientCpuShare).max().orElseThrow(),
                first.cold(),
                parts.stream()
                        .map(PhaseResult::stopped)
                        .filter(reason -> !reason.isEmpty())
                        .findFirst()
                        .orElse(""),
                operations(parts),
                series(parts, start),
                failures(parts));
    }

    private static List<OperationResult> operations(List<PhaseResult> parts) {
        Map<String, List<OperationResult>> byType = new LinkedHashMap<>();
        parts.forEach(part -> part.operations()
                .forEach(operation -> byType.computeIfAbsent(operation.type().name(), type -> new ArrayList<>())
                        .add(operation)));
        return byType.values().stream().map(ResultMerger::operation).toList();
    }

    private static OperationResult operation(List<OperationResult> parts) {
        return new OperationResult(
                parts.get(0).type(),
                parts.stream().mapToLong(OperationResult::right).sum(),
                parts.stream().mapToLong(OperationResult::failed).sum(),
                parts.stream().mapToLong(OperationResult::wrong).sum(),
                parts.stream().mapToLong(OperationResult::hits).sum(),
                parts.stream().mapToLong(OperationResult::misses).sum(),
                parts.stream().mapToLong(OperationResult::bytes).sum(),
                latency(parts, OperationResult::firstByte),
                latency(parts, OperationResult::whole));
    }

    private static LatencyResult latency(
            List<OperationResult> parts, Function<OperationResult, LatencyResult> latency) {
        Histogram sum = latency.apply(parts.get(0)).decode();
        parts.stream().skip(1).map(latency).map(LatencyResult::decode).forEach(sum::add);
        return LatencyResult.of(sum);
    }

    private static List<SeriesPoint> series(List<PhaseResult> parts, long start) {
        Map<Long, SeriesPoint> bySecond = new TreeMap<>();
        for (PhaseResult part : parts) {
            double shift = (part.startedAt() - start) / 1e3;
            for (SeriesPoint point : part.series()) {
                bySecond.merge(Math.round(point.atSecond() + shift), point, ResultMerger::point);
            }
        }
        List<SeriesPoint> merged = new ArrayList<>();
        bySecond.forEach((second, point) -> merged.add(new SeriesPoint(
                second,
                point.seconds(),
                point.right(),
                point.failed(),
                point.bytes(),
                point.p50Ms(),
                point.p99Ms(),
                point.maxMs())));
        return merged;
    }

    private static SeriesPoint point(SeriesPoint a, SeriesPoint b) {
        return new SeriesPoint(
                a.atSecond(),
                Math.max(a.seconds(), b.seconds()),
                a.right() + b.right(),
                a.failed() + b.failed(),
                a.bytes() + b.bytes(),
                Math.max(a.p50Ms(), b.p50Ms()),
                Math.max(a.p99Ms(), b.p99Ms()),
                Math.max(a.maxMs(), b.maxMs()));
    }

    private static List<FailureCount> failures(List<PhaseResult> parts) {
        Map<String, FailureCount> byReason = new LinkedHashMap<>();
        parts.forEach(part -> part.failures()
                .forEach(failure -> byReason.merge(
                        failure.reason(),
                        failure,
                        (a, b) -> new FailureCount(a.reason(), a.count() + b.count(), a.example()))));
        return List.copyOf(byReason.values());
    }
}
