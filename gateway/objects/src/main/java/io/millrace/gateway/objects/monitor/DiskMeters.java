package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.cache.CacheAdministration;
import io.millrace.cache.monitor.DiskSnapshot;
import io.millrace.cache.monitor.DiskSnapshot.Condition;
import io.millrace.cache.monitor.LatencyWindow.Totals;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Registers meters for each cache disk: state, room, reads, writes, slowness and scrub results. */
public final class DiskMeters {
    private final MeterRegistry registry;
    private final CacheAdministration disks;

    private DiskMeters(MeterRegistry registry, CacheAdministration disks) {
        this.registry = registry;
        this.disks = disks;
    }

    /** Registers the meters of a cache's disks; they are valid while the cache is open. */
    public static void watch(MeterRegistry registry, CacheAdministration disks) {
        DiskMeters meters = new DiskMeters(registry, disks);
        List<DiskSnapshot> states = disks.disks();
        for (int i = 0; i < states.size(); i++) {
            meters.watch(i, states.get(i).path().toString());
        }
    }

    private void watch(int disk, String path) {
        for (Condition condition : Condition.values()) {
            Gauge.builder(
                            MeterName.DISK_STATE.wireName(),
                            disks,
                            now -> now.disks().get(disk).condition() == condition ? 1 : 0)
                    .description(MeterName.DISK_STATE.description())
                    .tag("disk", path)
                    .tag("state", condition.name().toLowerCase(Locale.ROOT))
                    .strongReference(true)
                    .register(registry);
        }
        gauge(MeterName.DISK_SLOWNESS, path, now -> now.slowness().get(disk));
        gauge(MeterName.DISK_USED, path, now -> now.disks().get(disk).used());
        gauge(MeterName.DISK_SIZE, path, now -> now.disks().get(disk).size());
        gauge(MeterName.DISK_AVAILABLE, path, now -> now.disks().get(disk).limit());
        gauge(MeterName.DISK_QUEUED, path, now -> now.disks().get(disk).waiting());
        counter(MeterName.SCRUB_CORRUPT, path, now -> now.scrubs().get(disk).bad());
        counter(
                MeterName.DISK_READ_BYTES,
                path,
                now -> now.diskReads().get(disk).bytes());
        counter(
                MeterName.DISK_WRITTEN_BYTES,
                path,
                now -> now.diskWrites().get(disk).bytes());
        timer(MeterName.DISK_READ, path, now -> now.diskReads().get(disk));
        timer(MeterName.DISK_WRITE, path, now -> now.diskWrites().get(disk));
        gauge(
                MeterName.SCRUB_AGE,
                path,
                now -> now.scrubs()
                        .get(disk)
                        .oldest()
                        .map(oldest -> Duration.between(oldest, Instant.now()).toSeconds())
                        .orElse(0L));
    }

    private void timer(MeterName meter, String path, Function<CacheAdministration, Totals> totals) {
        FunctionTimer.builder(
                        meter.wireName(),
                        disks,
                        now -> totals.apply(now).count(),
                        now -> totals.apply(now).nanos(),
                        TimeUnit.NANOSECONDS)
                .description(meter.description())
                .tag("disk", path)
                .register(registry);
    }

    private void counter(MeterName meter, String path, ToDoubleFunction<CacheAdministration> number) {
        FunctionCounter.builder(meter.wireName(), disks, number)
                .description(meter.description())
                .tag("disk", path)
                .register(registry);
    }

    private void gauge(MeterName meter, String path, ToDoubleFunction<CacheAdministration> number) {
        Gauge.builder(meter.wireName(), disks, number)
                .description(meter.description())
                .tag("disk", path)
                .strongReference(true)
                .register(registry);
    }
}
