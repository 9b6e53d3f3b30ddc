package io.millrace.cache.fill;

import io.millrace.cache.disk.StoredBlock;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Reads of stored blocks on the threads of their disks, one at a time, for one reader: its thread calls, the disk's brings the
 * result.
 */
final class DiskRead {
    private final Executor loop;
    private final Runnable ended;
    private volatile @Nullable ReferenceCounted piece;
    private volatile boolean running;
    private volatile boolean failed;
    private int bytes;
    private volatile StoredBlock.Sums sums = new StoredBlock.Sums();

    /**
     * @param loop the reader's thread
     * @param ended called by the disk's thread when a read has ended
     */
    DiskRead(Executor loop, Runnable ended) {
        this.loop = loop;
        this.ended = ended;
    }

    boolean isRunning() {
        return running;
    }

    /** Bytes of the last one that was started. */
    int bytes() {
        return bytes;
    }

    /** What was read, which is the caller's now; null if there is nothing. */
    @Nullable ReferenceCounted take() {
        ReferenceCounted taken = piece;
        piece = null;
        return taken;
    }

    /** Whether the last one brought nothing, for what is there is not what it should be; told once. */
    boolean hasFailed() {
        boolean told = failed;
        failed = false;
        return told;
    }

    /**
     * Reads; owns the record.
     *
     * @param asFile whether a piece of the file is wanted, which is checked and brought into memory
     */
    void start(StoredBlock record, int offset, int wanted, boolean asFile) {
        running = true;
        bytes = wanted;
        long began = System.nanoTime();
        record.onDisk(
                read -> load(read, offset, wanted, asFile),
                piece -> ended(record, began, piece),
                ReferenceCounted::release);
    }

    /** Reads what is compared, and sent from the buffer it was compared in; owns the record. */
    void startChecked(StoredBlock record, int offset, int wanted) {
        running = true;
        bytes = wanted;
        long began = System.nanoTime();
        StoredBlock.Sums last = sums;
        record.onDisk(
                read -> read.readChecked(offset, wanted, last),
                piece -> {
                    if (piece == null) {
                        // Somebody may still be at work with the old ones.
                        sums = new StoredBlock.Sums();
                    }
                    ended(record, began, piece);
                },
                ReferenceCounted::release);
    }

    private void ended(StoredBlock record, long began, @Nullable ReferenceCounted read) {
        if (read != null) {
            record.took(bytes, System.nanoTime() - began);
        }
        piece = read;
        failed = read == null;
        running = false;
        ended.run();
    }

    /** Releases what nobody took. */
    void release() {
        ReferenceCounted left = running ? null : take();
        if (left != null) {
            left.release();
        }
    }

    private @Nullable ReferenceCounted load(StoredBlock record, int offset, int wanted, boolean asFile)
            throws IOException {
        // A large piece is sent by the event loop; reading it here brings it into memory.
        boolean right = (!asFile && record.isVerified()) || record.verify();
        if (!right) {
            return null;
        }
        return asFile ? record.region(offset, wanted, loop) : record.read(offset, wanted);
    }
}
