package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.cache.BlockCache;
import io.millrace.cache.monitor.DiskState;
import io.millrace.cache.monitor.DiskState.Condition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Registers gauges for each cache disk: state, slowness and scrub results. */
public final class DiskMeters {
    private final MeterRegistry registry;
    private final BlockCache cache;

    private DiskMeters(MeterRegistry registry, BlockCache cache) {
        this.registry = registry;
        this.cache = cache;
    }

    /** Registers the gauges of a cache's disks; they are valid while the cache is open. */
    public static void watch(MeterRegistry registry, BlockCache cache) {
        DiskMeters meters = new DiskMeters(registry, cache);
        List<DiskState> disks = cache.administration().disks();
        for (int i = 0; i < disks.size(); i++) {
            meters.watch(i, disks.get(i).path().toString());
        }
    }

    private void watch(int disk, String path) {
        for (Condition condition : Condition.values()) {
            Gauge.builder(
                            MeterName.DISK_STATE.wireName(),
                            cache,
                            now -> now.administration().disks().get(disk).condition() == condition ? 1 : 0)
                    .description(MeterName.DISK_STATE.description())
                    .tag("disk", path)
                    .tag("state", condition.name().toLowerCase(Locale.ROOT))
                    .strongReference(true)
                    .register(registry);
        }
        gauge(
                MeterName.DISK_SLOWNESS,
                path,
                now -> now.administration().slowness().get(disk));
        gauge(
                MeterName.SCRUB_CORRUPT,
                path,
                now -> now.administration().scrubs().get(disk).bad());
        gauge(
                MeterName.SCRUB_AGE,
                path,
                now -> now.administration()
                        .scrubs()
                        .get(disk)
                        .oldest()
                        .map(oldest -> Duration.between(oldest, Instant.now()).toSeconds())
                        .orElse(0L));
    }

    private void gauge(MeterName meter, String path, ToDoubleFunction<BlockCache> number) {
        Gauge.builder(meter.wireName(), cache, number)
                .description(meter.description())
                .tag("disk", path)
                .strongReference(true)
                .register(registry);
    }
}
