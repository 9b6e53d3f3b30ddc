package io.millrace.cache.disk;

import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The prober of one cache disk: a thread that looks every second whether the disk is still the one that was opened,
 * and whether one that fails can be used again. It takes a lost disk out of service, and ends with it.
 */
final class DiskProber {
    private static final Logger log = LoggerFactory.getLogger(DiskProber.class);

    private static final long PROBE_MILLIS = 1000;

    /** Consecutive probes that find a foreign or missing superblock before the disk is lost. */
    private static final int MOST_GONE = 2;

    private final Path folder;
    private final DiskProbe probe;
    private final TimeLimitedDiskReads readers;
    private final DiskHealth health;
    private final DiskWriteQueue queue;
    private final SuperblockUpdater superblock;
    private final DiskShutdown shutdown;
    private final CacheEventListener recorder;
    private int failedProbes;

    /** @param shutdown ends the thread when it begins */
    DiskProber(
            Path folder,
            DiskProbe probe,
            TimeLimitedDiskReads readers,
            DiskWriteQueue queue,
            SuperblockUpdater superblock,
            DiskShutdown shutdown,
            CacheEventListener recorder) {
        this.folder = folder;
        this.probe = probe;
        this.readers = readers;
        this.health = readers.health();
        this.queue = queue;
        this.superblock = superblock;
        this.shutdown = shutdown;
        this.recorder = recorder;
    }

    void start() {
        DaemonThreads.start(CacheDisk.name(folder) + "-probe", this::probeAll);
    }

    private void probeAll() {
        try {
            while (!shutdown.begunWithin(PROBE_MILLIS) && !health.isLost()) {
                try {
                    probe();
                } catch (RuntimeException | OutOfMemoryError e) {
                    log.error("The cache folder {} cannot be probed", folder, e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void probe() {
        try {
            Optional<String> gone = probe.gone();
            failedProbes = gone.isPresent() ? failedProbes + 1 : 0;
            if (failedProbes >= MOST_GONE) {
                lose(gone.orElseThrow());
            } else if (failedProbes == 0 && health.wantsProbe() && !readers.hang()) {
                probe.run();
                health.probePassed();
            }
            if (!health.isLost() && !readers.hang()) {
                // While nothing is written, this is how the disk sees that others have taken or freed space.
                queue.wake();
            }
        } catch (IOException e) {
            recorder.diskError();
            if (!readers.areBypassed()) {
                readers.failed(e);
            } else if (health.probeFailed(FileFailureText.of(e))) {
                takeOutOfService();
            }
        }
    }

    private void lose(String reason) {
        if (health.lost(reason)) {
            takeOutOfService();
        }
    }

    private void takeOutOfService() {
        readers.giveUp();
        superblock.close();
        // The writer removes the disk's blocks from the index.
        queue.wake();
    }
}
