package io.millrace.gateway.app;

import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.observe.TrafficByName;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Computes the metrics of requests by bucket and, if the settings want them, by identity. */
record TrafficCollector(TrafficByName buckets, Optional<TrafficByName> identities) implements MultiCollector {
    /** Returns the recorder that counts requests. */
    RequestRecorder recorder() {
        return identities.map(buckets::and).orElse(buckets);
    }

    /** Returns whether the requests for a bucket are counted under its name. */
    boolean isBucketApart(String name) {
        return buckets.isApart(name);
    }

    /** Returns the names of buckets that clients have used, those with the most requests first. */
    List<String> busiestBuckets() {
        return buckets.busiest();
    }

    @Override
    public MetricSnapshots collect() {
        Families ofBuckets = new Families(
                MeterName.BUCKET_REQUESTS,
                MeterName.BUCKET_CACHE_REQUESTS,
                MeterName.BUCKET_BYTES_IN,
                MeterName.BUCKET_BYTES_OUT,
                MeterName.BUCKET_FIRST_BYTE);
        buckets.counted().forEach(ofBuckets::add);
        Families ofIdentities = new Families(
                MeterName.IDENTITY_REQUESTS,
                MeterName.IDENTITY_CACHE_REQUESTS,
                MeterName.IDENTITY_BYTES_IN,
                MeterName.IDENTITY_BYTES_OUT,
                MeterName.IDENTITY_FIRST_BYTE);
        identities.ifPresent(all -> all.counted().forEach(ofIdentities::add));
        return MetricFamily.snapshots(
                Stream.concat(ofBuckets.all(), ofIdentities.all()).toArray(MetricFamily[]::new));
    }

    /** The metrics of the requests of each name. */
    private record Families(
            MetricFamily requests,
            MetricFamily results,
            MetricFamily bytesIn,
            MetricFamily bytesOut,
            MetricFamily firstByte) {
        Families(MeterName requests, MeterName results, MeterName bytesIn, MeterName bytesOut, MeterName firstByte) {
            this(
                    new MetricFamily(requests),
                    new MetricFamily(results),
                    new MetricFamily(bytesIn),
                    new MetricFamily(bytesOut),
                    new MetricFamily(firstByte));
        }

        void add(TrafficByName.NamedTraffic one) {
            one.outcomes().forEach((outcome, count) -> requests.count(count, one.name(), outcome));
            one.results().forEach((result, count) -> results.count(count, one.name(), result));
            bytesIn.count(one.bytesIn(), one.name());
            bytesOut.count(one.bytesOut(), one.name());
            firstByte.histogram(one.bounds(), one.firstBytes(), one.firstByteSeconds(), one.name());
        }

        Stream<MetricFamily> all() {
            return Stream.of(requests, results, bytesIn, bytesOut, firstByte);
        }
    }
}
