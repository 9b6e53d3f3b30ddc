package io.millrace.gateway.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.control.ClusterView;
import io.millrace.gateway.control.ClusterView.MemberState;
import io.millrace.gateway.control.ClusterView.MemberView;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.objects.read.CacheLease;
import io.millrace.gateway.objects.write.WriteReplication;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.util.Collection;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import reactor.core.publisher.Mono;

/** The meters of a cluster: the states of its members, and what reads and writes wait for because of it. */
final class ClusterMeters implements MultiCollector {
    private final Supplier<ClusterView> cluster;
    private final Timer announcements;
    private final Counter readsWithoutLease;
    private final LongSupplier leasesLost;
    private final LongSupplier writesWaited;
    private final LongSupplier relayedReads;
    private final LongSupplier fallbacks;
    private final LongSupplier copiedBytes;

    /**
     * Registers all but those of {@link #collect}.
     *
     * @param leasesLost returns how many leases have run out
     * @param writesWaited returns how many changes have waited for a time limit
     * @param relayedReads returns how many requests the homes of objects have served
     * @param fallbacks returns how many requests no home has served
     * @param copiedBytes returns how many bytes were stored here beside their homes
     */
    ClusterMeters(
            Supplier<ClusterView> cluster,
            LongSupplier leasesLost,
            LongSupplier writesWaited,
            LongSupplier relayedReads,
            LongSupplier fallbacks,
            LongSupplier copiedBytes,
            MeterRegistry registry) {
        this.cluster = cluster;
        this.leasesLost = leasesLost;
        this.writesWaited = writesWaited;
        this.relayedReads = relayedReads;
        this.fallbacks = fallbacks;
        this.copiedBytes = copiedBytes;
        this.announcements = Timer.builder(MeterName.CLUSTER_ANNOUNCE.wireName())
                .description(MeterName.CLUSTER_ANNOUNCE.description())
                .publishPercentileHistogram()
                .minimumExpectedValue(Duration.ofNanos(50_000))
                .maximumExpectedValue(Duration.ofMinutes(1))
                .register(registry);
        this.readsWithoutLease = Counter.builder(MeterName.CLUSTER_READS_WITHOUT_LEASE.wireName())
                .description(MeterName.CLUSTER_READS_WITHOUT_LEASE.description())
                .register(registry);
        count(MeterName.CLUSTER_LEASES_LOST, meters -> meters.leasesLost.getAsLong(), registry);
        count(MeterName.CLUSTER_WRITES_WAITED, meters -> meters.writesWaited.getAsLong(), registry);
        count(MeterName.CLUSTER_RELAYED_READS, meters -> meters.relayedReads.getAsLong(), registry);
        count(MeterName.CLUSTER_FALLBACKS, meters -> meters.fallbacks.getAsLong(), registry);
        count(MeterName.CLUSTER_COPIED_BYTES, meters -> meters.copiedBytes.getAsLong(), registry);
    }

    private void count(MeterName meter, ToDoubleFunction<ClusterMeters> number, MeterRegistry registry) {
        FunctionCounter.builder(meter.wireName(), this, number)
                .description(meter.description())
                .register(registry);
    }

    @Override
    public MetricSnapshots collect() {
        ClusterView now = cluster.get();
        MetricFamily ready = new MetricFamily(MeterName.CLUSTER_READY);
        MetricFamily members = new MetricFamily(MeterName.CLUSTER_MEMBERS);
        MetricFamily leases = new MetricFamily(MeterName.CLUSTER_LEASES_HELD);
        MetricFamily missed = new MetricFamily(MeterName.CLUSTER_MISSED_BUCKETS);
        ready.gauge(now.ready() ? 1 : 0);
        for (MemberState state : MemberState.values()) {
            members.gauge(
                    (double) now.members().stream()
                            .filter(member -> member.state().equals(state.text()))
                            .count(),
                    state.text());
        }
        leases.gauge(
                (double) now.members().stream().filter(MemberView::leaseHeld).count());
        now.members().forEach(member -> missed.gauge(member.missedBuckets(), member.name()));
        return MetricFamily.snapshots(ready, members, leases, missed);
    }

    /** Counts the reads that a lease does not permit to use what is remembered. */
    CacheLease counting(CacheLease lease) {
        return bucket -> {
            boolean held = lease.isHeld(bucket);
            if (!held) {
                readsWithoutLease.increment();
            }
            return held;
        };
    }

    /** Measures how long changes wait for the other members. */
    WriteReplication timing(WriteReplication replication) {
        return new WriteReplication() {
            @Override
            public Mono<Void> beginning(String backend, BucketName bucket) {
                return replication.beginning(backend, bucket);
            }

            @Override
            public Mono<Void> written(Collection<ObjectId> ids, boolean acknowledged) {
                return timed(replication.written(ids, acknowledged));
            }

            @Override
            public Mono<Void> invalidated(ObjectPrefix below) {
                return timed(replication.invalidated(below));
            }

            @Override
            public Mono<Void> bucketChanged(String backend, BucketName bucket) {
                return timed(replication.bucketChanged(backend, bucket));
            }
        };
    }

    private Mono<Void> timed(Mono<Void> announcement) {
        return Mono.defer(() -> {
            Timer.Sample begun = Timer.start();
            return announcement.doFinally(end -> begun.stop(announcements));
        });
    }
}
