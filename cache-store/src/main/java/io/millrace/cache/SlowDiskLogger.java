package io.millrace.cache;

import io.millrace.cache.monitor.DiskSnapshot;
import io.millrace.cache.monitor.LatencyWindow;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a warning when a disk of the cache is slower than the backends, and an info when it no longer is. Not
 * thread-safe.
 */
final class SlowDiskLogger {
    private static final Logger log = LoggerFactory.getLogger(SlowDiskLogger.class);

    private final Supplier<List<DiskSnapshot>> disks;
    private final Supplier<List<Double>> slowness;
    private final boolean[] warned;

    SlowDiskLogger(Supplier<List<DiskSnapshot>> disks, Supplier<List<Double>> slowness) {
        this.disks = disks;
        this.slowness = slowness;
        this.warned = new boolean[disks.get().size()];
    }

    void check() {
        List<DiskSnapshot> states = disks.get();
        List<Double> times = slowness.get();
        for (int i = 0; i < warned.length; i++) {
            boolean slower = LatencyWindow.isSlower(times.get(i));
            if (slower && !warned[i]) {
                log.warn(
                        "The cache folder {} is slower than the backend: it takes {} times as long for the same bytes,"
                                + " so hits are slower than misses; use a faster disk, or remove it from cache.disks",
                        states.get(i).path(),
                        "%.1f".formatted(times.get(i)));
            } else if (!slower && warned[i]) {
                log.info(
                        "The cache folder {} is no longer slower than the backend",
                        states.get(i).path());
            }
            warned[i] = slower;
        }
    }
}
