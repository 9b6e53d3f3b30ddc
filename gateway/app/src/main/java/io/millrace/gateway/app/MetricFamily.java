package io.millrace.gateway.app;

import io.millrace.gateway.objects.monitor.MeterName;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The series of one meter while a scrape is being computed. Values of labels are in the order of {@link
 * MeterName#labels}.
 */
final class MetricFamily {
    private final MeterName name;
    private final List<CounterDataPointSnapshot> counters = new ArrayList<>();
    private final List<GaugeDataPointSnapshot> gauges = new ArrayList<>();
    private final List<HistogramDataPointSnapshot> histograms = new ArrayList<>();

    MetricFamily(MeterName name) {
        this.name = name;
    }

    void count(long value, String... labels) {
        counters.add(CounterDataPointSnapshot.builder()
                .value((double) value)
                .labels(labels(labels))
                .build());
    }

    void gauge(double value, String... labels) {
        gauges.add(GaugeDataPointSnapshot.builder()
                .value(value)
                .labels(labels(labels))
                .build());
    }

    /**
     * Adds a histogram.
     *
     * @param counts values up to each bound and above the one before
     */
    void histogram(List<Double> bounds, List<Long> counts, double sum, String... labels) {
        histograms.add(HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, counts))
                .sum(sum)
                .labels(labels(labels))
                .build());
    }

    private Labels labels(String... values) {
        return Labels.of(name.labels().toArray(String[]::new), values);
    }

    private MetricSnapshot snapshot() {
        String help = name.description();
        return switch (name.kind()) {
            case COUNTER -> new CounterSnapshot(metadata(name.familyName(), help), counters);
            case GAUGE -> new GaugeSnapshot(metadata(name.familyName(), help), gauges);
            case HISTOGRAM -> new HistogramSnapshot(metadata(name.prometheusName(), help), histograms);
            case SUMMARY -> throw new IllegalArgumentException(name + " is computed by Micrometer");
        };
    }

    private static MetricMetadata metadata(String name, String help) {
        return new MetricMetadata(name, help);
    }

    private boolean isEmpty() {
        return counters.isEmpty() && gauges.isEmpty() && histograms.isEmpty();
    }

    /** Returns the families that have series. */
    static MetricSnapshots snapshots(MetricFamily... families) {
        return new MetricSnapshots(Stream.of(families)
                .filter(family -> !family.isEmpty())
                .map(MetricFamily::snapshot)
                .toList());
    }
}
