package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A snapshot of a cumulative latency histogram.
 *
 * @param upTo the number of times up to each bucket's upper bound in nanoseconds
 */
public record LatencyHistogram(NavigableMap<Double, Long> upTo) {
    /** Returns the combined histogram of timers, without times beyond their last bucket. */
    public static LatencyHistogram of(Collection<Timer> timers) {
        NavigableMap<Double, Long> upTo = new TreeMap<>();
        for (Timer timer : timers) {
            for (CountAtBucket bucket : timer.takeSnapshot().histogramCounts()) {
                if (Double.isFinite(bucket.bucket()) && bucket.bucket() < Long.MAX_VALUE) {
                    upTo.merge(bucket.bucket(), (long) bucket.count(), Long::sum);
                }
            }
        }
        return new LatencyHistogram(upTo);
    }

    /** Returns the difference from an earlier snapshot. */
    public LatencyHistogram minus(LatencyHistogram before) {
        NavigableMap<Double, Long> added = new TreeMap<>();
        upTo.forEach((bound, count) -> added.put(bound, Math.max(0, count - before.upTo.getOrDefault(bound, 0L))));
        return new LatencyHistogram(added);
    }

    /**
     * Returns a quantile in microseconds, interpolated linearly within its bucket; empty without times.
     *
     * @param share more than 0, up to 1
     */
    public OptionalLong quantileMicros(double share) {
        if (upTo.isEmpty() || upTo.lastEntry().getValue() == 0) {
            return OptionalLong.empty();
        }
        double wanted = share * upTo.lastEntry().getValue();
        double lower = 0;
        long below = 0;
        for (Map.Entry<Double, Long> bucket : upTo.entrySet()) {
            if (bucket.getValue() >= wanted) {
                double part = (wanted - below) / (bucket.getValue() - below);
                return OptionalLong.of(Math.round((lower + part * (bucket.getKey() - lower)) / 1000));
            }
            lower = bucket.getKey();
            below = bucket.getValue();
        }
        return OptionalLong.of(Math.round(upTo.lastKey() / 1000));
    }
}
