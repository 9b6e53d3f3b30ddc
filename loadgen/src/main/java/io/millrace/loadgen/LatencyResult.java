package io.millrace.loadgen;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * The latencies of one kind of operation: mean, maximum, percentiles and histogram.
 *
 * @param meanMs arithmetic mean, ms
 * @param maxMs largest, ms
 * @param percentilesMs latency in ms by percentile, {@code p50} to {@code p99.99}
 * @param histogram all latencies in µs: an HdrHistogram in its compressed V2 encoding, in Base64
 */
record LatencyResult(double meanMs, double maxMs, Map<String, Double> percentilesMs, String histogram) {
    /** The percentiles of tables and reports. */
    static final List<Double> PERCENTILES = List.of(50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99);

    private static final double MICROS_PER_MS = 1000;

    LatencyResult {
        percentilesMs = Collections.unmodifiableMap(new LinkedHashMap<>(percentilesMs)); // in order
    }

    /** Returns the result for latencies in µs. */
    static LatencyResult of(Histogram micros) {
        Map<String, Double> percentiles = new LinkedHashMap<>();
        for (double percentile : PERCENTILES) {
            percentiles.put(name(percentile), micros.getValueAtPercentile(percentile) / MICROS_PER_MS);
        }
        return new LatencyResult(
                Math.round(micros.getMean()) / MICROS_PER_MS,
                micros.getMaxValue() / MICROS_PER_MS,
                percentiles,
                encode(micros));
    }

    /** Returns the name of a percentile: {@code p99.9}. */
    static String name(double percentile) {
        return percentile == Math.rint(percentile) ? "p" + (int) percentile : "p" + percentile;
    }

    /** Returns the latency at one of {@link #PERCENTILES}, in ms. */
    double at(double percentile) {
        return percentilesMs.getOrDefault(name(percentile), 0.0);
    }

    /**
     * Returns all latencies in µs.
     *
     * @throws IllegalArgumentException if {@link #histogram} is not encoded as stated
     */
    Histogram decode() {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(histogram)), 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("not an HdrHistogram", e);
        }
    }

    private static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        byte[] bytes = new byte[length];
        buffer.flip().get(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }
}
