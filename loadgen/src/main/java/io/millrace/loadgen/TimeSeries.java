package io.millrace.loadgen;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.IntCountsHistogram;

/**
 * Collects the operation counts, bytes and latencies of a phase by intervals of time, and merges neighbouring intervals
 * when there are too many. When there are too many, neighbours are merged, so that the memory does not grow with the
 * run. Not thread-safe.
 */
final class TimeSeries {
    private static final int MOST = 600;

    private final List<Interval> intervals = new ArrayList<>();
    private int mergedPerInterval = 1;
    private int inLast;

    /** The operations that ended in one interval. */
    static final class Interval {
        private static final int DIGITS = 2;
        private static final double MICROS_PER_MS = 1000;

        private final double atSecond;
        private double seconds;
        private final IntCountsHistogram micros = new IntCountsHistogram(DIGITS);
        private long failed;
        private long bytes;

        Interval(double atSecond, double seconds) {
            this.atSecond = atSecond;
            this.seconds = seconds;
        }

        void add(Histogram latencies, long failures, long moved) {
            micros.add(latencies);
            failed += failures;
            bytes += moved;
        }

        private void append(Interval next) {
            seconds += next.seconds;
            micros.add(next.micros);
            failed += next.failed;
            bytes += next.bytes;
        }

        SeriesPoint point() {
            return new SeriesPoint(
                    atSecond,
                    seconds,
                    micros.getTotalCount(),
                    failed,
                    bytes,
                    micros.getValueAtPercentile(50) / MICROS_PER_MS,
                    micros.getValueAtPercentile(99) / MICROS_PER_MS,
                    micros.getMaxValue() / MICROS_PER_MS);
        }
    }

    void add(Interval interval) {
        if (inLast > 0 && inLast < mergedPerInterval) {
            intervals.get(intervals.size() - 1).append(interval);
            inLast++;
        } else {
            intervals.add(interval);
            inLast = 1;
        }
        if (intervals.size() > MOST) {
            mergeNeighbours();
        }
    }

    private void mergeNeighbours() {
        List<Interval> merged = new ArrayList<>();
        for (int i = 0; i < intervals.size(); i += 2) {
            Interval first = intervals.get(i);
            if (i + 1 < intervals.size()) {
                first.append(intervals.get(i + 1));
            }
            merged.add(first);
        }
        boolean isLastHalf = intervals.size() % 2 == 1;
        intervals.clear();
        intervals.addAll(merged);
        inLast = isLastHalf ? mergedPerInterval : 2 * mergedPerInterval;
        mergedPerInterval *= 2;
    }

    List<SeriesPoint> points() {
        return intervals.stream().map(Interval::point).toList();
    }
}
