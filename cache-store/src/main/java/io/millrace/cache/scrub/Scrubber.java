package io.millrace.cache.scrub;

import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.monitor.CacheRecorder;
import io.millrace.cache.settings.ScrubSettings;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.IntStream;

/** Looks at all disks, each on a thread of its own. Safe for use by any number of threads. */
public final class Scrubber implements AutoCloseable {
    private final List<DiskScrubber> disks;
    private final boolean on;

    public Scrubber(BlockStore store, ScrubSettings settings, CacheRecorder recorder, InstantSource clock) {
        this.on = settings.isOn();
        this.disks = IntStream.range(0, store.states().size())
                .mapToObj(disk -> new DiskScrubber(() -> store.checks(disk), settings, recorder, clock))
                .toList();
    }

    /** Begins, when all that lies on the disks is known. */
    public void start() {
        if (on) {
            disks.forEach(DiskScrubber::start);
        }
    }

    /** How it gets on, in the order of the disks. */
    public List<DiskScrubStatus> states() {
        return disks.stream().map(DiskScrubber::state).toList();
    }

    /**
     * All of a disk is looked at now, one pass.
     *
     * @return whether it will be: not if there is no scrubbing at all
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
