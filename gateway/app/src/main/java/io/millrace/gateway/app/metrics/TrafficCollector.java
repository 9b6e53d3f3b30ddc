package io.millrace.gateway.app.metrics;

import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.observe.TrafficByName;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Optional;

/** Computes the metrics of requests by bucket and, if the settings want them, by identity. */
public final class TrafficCollector implements MultiCollector {
    private final TrafficByName buckets;
    private final Optional<TrafficByName> identities;

    public TrafficCollector(TrafficByName buckets, Optional<TrafficByName> identities) {
        this.buckets = buckets;
        this.identities = identities;
    }

    /** Returns the recorder that counts requests. */
    public RequestRecorder recorder() {
        return identities.map(buckets::and).orElse(buckets);
    }

    /** Returns whether the requests for a bucket are counted under its name. */
    public boolean isBucketApart(String name) {
        return buckets.isApart(name);
    }

    /** Returns the names of buckets that clients have used, those with the most requests first. */
    public List<String> busiestBuckets() {
        return buckets.busiest();
    }

    @Override
    public MetricSnapshots collect() {
        MetricFamily requests = new MetricFamily(MeterName.BUCKET_REQUESTS);
        MetricFamily results = new MetricFamily(MeterName.BUCKET_CACHE_REQUESTS);
        MetricFamily bytesIn = new MetricFamily(MeterName.BUCKET_BYTES_IN);
        MetricFamily bytesOut = new MetricFamily(MeterName.BUCKET_BYTES_OUT);
        MetricFamily firstByte = new MetricFamily(MeterName.BUCKET_FIRST_BYTE);
        buckets.counted().forEach(one -> {
            one.outcomes().forEach((outcome, count) -> requests.count(count, one.name(), outcome));
            one.results().forEach((result, count) -> results.count(count, one.name(), result));
            bytesIn.count(one.bytesIn(), one.name());
            bytesOut.count(one.bytesOut(), one.name());
            firstByte.histogram(one.bounds(), one.firstBytes(), one.firstByteSeconds(), one.name());
        });
        MetricFamily ofIdentities = new MetricFamily(MeterName.IDENTITY_REQUESTS);
        MetricFamily identityIn = new MetricFamily(MeterName.IDENTITY_BYTES_IN);
        MetricFamily identityOut = new MetricFamily(MeterName.IDENTITY_BYTES_OUT);
        identities.ifPresent(all -> all.counted().forEach(one -> {
            one.outcomes().forEach((outcome, count) -> ofIdentities.count(count, one.name(), outcome));
            identityIn.count(one.bytesIn(), one.name());
            identityOut.count(one.bytesOut(), one.name());
        }));
        return MetricFamily.snapshots(
                requests, results, bytesIn, bytesOut, firstByte, ofIdentities, identityIn, identityOut);
    }
}
