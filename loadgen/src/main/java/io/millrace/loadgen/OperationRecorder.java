package io.millrace.loadgen;

import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Records the measurements of one kind of operation. Any thread adds measurements; one thread takes them interval by
 * interval, which adds them to the totals. The memory is constant.
 */
final class OperationRecorder {
    private static final int DIGITS = 3;
    private static final long LONGEST_MICROS = 3_600_000_000L;

    private final OperationType type;
    private final Recorder firstByte = new Recorder(LONGEST_MICROS, DIGITS);
    private final Recorder whole = new Recorder(LONGEST_MICROS, DIGITS);
    private final Histogram firstByteTotal = new Histogram(LONGEST_MICROS, DIGITS);
    private final Histogram wholeTotal = new Histogram(LONGEST_MICROS, DIGITS);
    private final LongAdder failed = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private Histogram firstByteInterval = firstByte.getIntervalHistogram();
    private Histogram wholeInterval = whole.getIntervalHistogram();
    private long failedTotal;
    private long wrongTotal;
    private long hitsTotal;
    private long missesTotal;
    private long bytesTotal;

    OperationRecorder(OperationType type) {
        this.type = type;
    }

    /**
     * Adds a measurement.
     *
     * @param dueAt beginning of its latency, by {@link System#nanoTime()}
     */
    void add(Measurement measurement, long dueAt) {
        bytes.add(measurement.bytes());
        switch (measurement.outcome()) {
            case RIGHT -> {
                firstByte.recordValue(micros(measurement.firstByteAt() - dueAt));
                whole.recordValue(micros(measurement.endedAt() - dueAt));
                switch (measurement.cache()) {
                    case HIT -> hits.increment();
                    case MISS -> misses.increment();
                    case OTHER -> {}
                }
            }
            case REFUSED, LOST -> failed.increment();
            case WRONG -> wrong.increment();
        }
    }

    private static long micros(long nanos) {
        return Math.min(LONGEST_MICROS, Math.max(0, (nanos + 500) / 1000));
    }

    /** Takes the measurements since the last call, adds them to the totals and to {@code series}. */
    void takeInterval(TimeSeries.Interval series) {
        firstByteInterval = firstByte.getIntervalHistogram(firstByteInterval);
        wholeInterval = whole.getIntervalHistogram(wholeInterval);
        long failures = failed.sumThenReset();
        long wrongs = wrong.sumThenReset();
        long moved = bytes.sumThenReset();
        firstByteTotal.add(firstByteInterval);
        wholeTotal.add(wholeInterval);
        failedTotal += failures;
        wrongTotal += wrongs;
        bytesTotal += moved;
        hitsTotal += hits.sumThenReset();
        missesTotal += misses.sumThenReset();
        series.add(wholeInterval, failures + wrongs, moved);
    }

    /** Returns the result of all intervals taken. */
    OperationResult result() {
        return new OperationResult(
                type,
                wholeTotal.getTotalCount(),
                failedTotal,
                wrongTotal,
                hitsTotal,
                missesTotal,
                bytesTotal,
                LatencyResult.of(firstByteTotal),
                LatencyResult.of(wholeTotal));
    }
}
