package io.millrace.cache.disk;

import io.millrace.cache.index.Fingerprint;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers beside the disks that a run has come to know all that is on them. As long as it has not, what it writes may hide a head on
 * a disk that is not read yet, and nobody knows which: if the run ends there, and the next one lacks a disk, heads on the others are
 * doubtful. Safe for use by any number of threads.
 */
final class RecoveryEnd {
    private static final Logger log = LoggerFactory.getLogger(RecoveryEnd.class);

    /** Writes that take longer are those of a disk that hangs. */
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long STEP_MILLIS = 5;

    private final KnownDisks known;
    private final List<Disk> disks;
    private final Set<Fingerprint> pending;
    private boolean closed;

    /**
     * @param disks of the start
     * @param pending keys of heads and tombstones that are being written, as they are now
     */
    RecoveryEnd(KnownDisks known, List<Disk> disks, Set<Fingerprint> pending) {
        this.known = known;
        this.disks = disks;
        this.pending = pending;
    }

    /** All is in the index. Blocks until it is written which disks hold what another hides; if that cannot be, nothing is remembered. */
    void allIsKnown() {
        if (awaitWrites() && disks.stream().allMatch(Disk::settleDoubt)) {
            remember();
        } else if (!isClosed()) {
            log.info(
                    "All that is on the disks is known, but {} cannot say so, since a disk is slow to write: if one is missing at the"
                            + " next start, heads on the others are asked for once",
                    known.file());
        }
    }

    /** The folders are somebody else's soon. */
    synchronized void close() {
        closed = true;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void remember() {
        if (closed) {
            return;
        }
        try {
            known.recovered();
        } catch (IOException e) {
            log.warn("{} cannot be written: {}", known.file(), e.toString());
        }
    }

    /** Those whose disk was chosen before all was known: what they hide is doubted when they are written. Whether they are. */
    private boolean awaitWrites() {
        Set<Fingerprint> earlier = new HashSet<>(pending);
        long begun = System.nanoTime();
        while (!earlier.isEmpty() && !isClosed() && System.nanoTime() - begun < MOST_NANOS && pause()) {
            earlier.retainAll(pending);
        }
        return earlier.isEmpty();
    }

    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
