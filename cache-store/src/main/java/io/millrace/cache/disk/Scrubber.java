package io.millrace.cache.disk;

import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.settings.ScrubSettings;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Verifies the cached blocks of all disks in the background, each disk on a thread of its own. Safe for use by any
 * number of threads.
 */
public final class Scrubber implements AutoCloseable {
    private final List<DiskScrubber> disks;
    private final boolean on;

    public Scrubber(CacheDisks cacheDisks, ScrubSettings settings, CacheEventListener recorder, InstantSource clock) {
        this.on = settings.isOn();
        this.disks = IntStream.range(0, cacheDisks.states().size())
                .mapToObj(disk -> new DiskScrubber(() -> cacheDisks.checks(disk), settings, recorder, clock))
                .toList();
    }

    /** Starts scrubbing; to be called after recovery. */
    public void start() {
        if (on) {
            disks.forEach(DiskScrubber::start);
        }
    }

    /** Returns the status of each disk, in the order of the settings. */
    public List<DiskScrubStatus> states() {
        return disks.stream().map(DiskScrubber::state).toList();
    }

    /**
     * Starts a pass over a whole disk.
     *
     * @return false if scrubbing is off
     */
    public boolean now(int disk) {
        if (on) {
            disks.get(disk).now();
        }
        return on;
    }

    @Override
    public void close() {
        disks.forEach(DiskScrubber::close);
    }
}
