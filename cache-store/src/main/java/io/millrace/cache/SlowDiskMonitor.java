package io.millrace.cache;

import io.millrace.cache.monitor.DiskState;
import io.millrace.cache.monitor.LatencyWindow;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells an operator of disks that take longer than the backend behind them. For one thread at a time. */
final class SlowDiskMonitor {
    private static final Logger log = LoggerFactory.getLogger(SlowDiskMonitor.class);

    private final Supplier<List<DiskState>> disks;
    private final Supplier<List<Double>> slowness;
    private final boolean[] warned;

    SlowDiskMonitor(Supplier<List<DiskState>> disks, Supplier<List<Double>> slowness) {
        this.disks = disks;
        this.slowness = slowness;
        this.warned = new boolean[disks.get().size()];
    }

    void check() {
        List<DiskState> states = disks.get();
        List<Double> times = slowness.get();
        for (int i = 0; i < warned.length; i++) {
            boolean slower = LatencyWindow.isSlower(times.get(i));
            if (slower && !warned[i]) {
                log.warn(
                        "The cache folder {} is slower than the backend: for the same bytes it takes {} times as long. What it"
                                + " holds is answered later than without it: use a faster disk, or take it out of cache.disks",
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
