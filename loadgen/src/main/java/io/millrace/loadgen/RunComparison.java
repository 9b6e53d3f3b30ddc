package io.millrace.loadgen;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Comparison of repeated runs of a scenario with other ones, as ratios of their means. With two runs or more on each
 * side a ratio has a confidence interval of 95 %, by Welch's t-test on the logarithms.
 *
 * @see <a href="https://doi.org/10.1093/biomet/34.1-2.28">Welch: The generalization of Student's problem</a>
 */
final class RunComparison {
    /** 97.5th percentiles of Student's t distribution for 1 to 30 degrees of freedom; above it is close to normal. */
    private static final double[] T = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042
    };

    private static final double T_NORMAL = 1.96;

    /**
     * One line of a comparison.
     *
     * @param metric quantity and its unit
     * @param base geometric mean of the base runs
     * @param other geometric mean of the other runs
     * @param ratio other to base
     * @param low lower end of the ratio's confidence interval; NaN with fewer than two runs on a side
     * @param high upper end
     */
    record Line(
            String phase,
            String operation,
            String metric,
            double base,
            double other,
            double ratio,
            double low,
            double high) {
        /** Returns whether the interval excludes a ratio of 1. */
        public boolean isDifferent() {
            return low > 1 || high < 1;
        }
    }

    private record Metric(String name, ToDoubleFunction<Sample> value) {}

    private record Sample(PhaseResult phase, OperationResult operation) {}

    private static final List<Metric> METRICS = List.of(
            new Metric("operations/s", sample -> sample.operation.right() / sample.phase.seconds()),
            new Metric(
                    "first byte p50, ms", sample -> sample.operation.firstByte().at(50)),
            new Metric("whole p50, ms", sample -> sample.operation.whole().at(50)),
            new Metric("whole p99, ms", sample -> sample.operation.whole().at(99)));

    private RunComparison() {}

    /**
     * Compares runs.
     *
     * @throws IllegalArgumentException if they have no phase and operation in common
     */
    static List<Line> compare(List<RunResult> base, List<RunResult> others) {
        List<Line> lines = new ArrayList<>();
        for (PhaseResult phase : base.get(0).phases()) {
            for (OperationResult operation : phase.operations()) {
                List<Sample> baseSamples = samples(base, phase, operation);
                List<Sample> otherSamples = samples(others, phase, operation);
                if (!baseSamples.isEmpty() && !otherSamples.isEmpty()) {
                    METRICS.forEach(metric -> lines.add(line(metric, baseSamples, otherSamples)));
                }
            }
        }
        if (lines.isEmpty()) {
            throw new IllegalArgumentException("the results have no phase and operation in common");
        }
        return lines;
    }

    private static List<Sample> samples(List<RunResult> runs, PhaseResult phase, OperationResult operation) {
        List<Sample> samples = new ArrayList<>();
        for (RunResult run : runs) {
            run.phases().stream()
                    .filter(candidate -> candidate.name().equals(phase.name()))
                    .flatMap(found -> found.operations().stream()
                            .filter(candidate -> candidate.type() == operation.type() && candidate.right() > 0)
                            .map(candidate -> new Sample(found, candidate)))
                    .forEach(samples::add);
        }
        return samples;
    }

    private static Line line(Metric metric, List<Sample> base, List<Sample> others) {
        Spread baseSpread = Spread.of(metric, base);
        Spread otherSpread = Spread.of(metric, others);
        double difference = otherSpread.mean - baseSpread.mean;
        double margin = margin(baseSpread, otherSpread);
        Sample first = base.get(0);
        return new Line(
                first.phase.name(),
                first.operation.type().name().toLowerCase(Locale.ROOT),
                metric.name,
                Math.exp(baseSpread.mean),
                Math.exp(otherSpread.mean),
                Math.exp(difference),
                Math.exp(difference - margin),
                Math.exp(difference + margin));
    }

    /** Mean and variance of the logarithms of a quantity. */
    private record Spread(int count, double mean, double variance) {
        static Spread of(Metric metric, List<Sample> samples) {
            double[] logarithms = samples.stream()
                    .mapToDouble(sample -> Math.log(Math.max(1e-6, metric.value.applyAsDouble(sample))))
                    .toArray();
            double sum = 0;
            for (double logarithm : logarithms) {
                sum += logarithm;
            }
            double mean = sum / logarithms.length;
            double squares = 0;
            for (double logarithm : logarithms) {
                squares += (logarithm - mean) * (logarithm - mean);
            }
            return new Spread(
                    logarithms.length, mean, logarithms.length < 2 ? Double.NaN : squares / (logarithms.length - 1));
        }

        double error() {
            return variance / count;
        }
    }

    private static double margin(Spread base, Spread other) {
        double error = base.error() + other.error();
        if (Double.isNaN(error) || error == 0) {
            return error;
        }
        double freedom = error
                * error
                / (base.error() * base.error() / (base.count - 1) + other.error() * other.error() / (other.count - 1));
        int index = (int) Math.floor(freedom) - 1;
        return (index < T.length ? T[Math.max(0, index)] : T_NORMAL) * Math.sqrt(error);
    }
}
