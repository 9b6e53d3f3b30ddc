package io.millrace.cache.fill;

import io.millrace.cache.disk.StoredBlock;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Reads cached blocks from disk asynchronously for one response body, one block at a time, on the disk's own threads.
 * The reader's thread calls; the disk's thread delivers the result.
 */
final class StoredBlockReader {
    private final Executor loop;
    private final Runnable ended;
    private volatile @Nullable ReferenceCounted piece;
    private volatile boolean running;
    private volatile boolean failed;
    private int bytes;
    private volatile StoredBlock.Sums sums = new StoredBlock.Sums();

    /**
     * @param loop the reader's thread
     * @param ended called on the disk's thread after each read
     */
    StoredBlockReader(Executor loop, Runnable ended) {
        this.loop = loop;
        this.ended = ended;
    }

    boolean isRunning() {
        return running;
    }

    /** Returns the size of the last read, in bytes. */
    int bytes() {
        return bytes;
    }

    /** Returns the result of the last read, which the caller owns; null if there is none. */
    @Nullable ReferenceCounted take() {
        ReferenceCounted taken = piece;
        piece = null;
        return taken;
    }

    /** Returns, once, whether the last read failed because the stored block is corrupt or unreadable. */
    boolean hasFailed() {
        boolean failedBefore = failed;
        failed = false;
        return failedBefore;
    }

    /**
     * Starts a read; takes ownership of the record.
     *
     * @param asFile whether to return a file region, which is verified and read into the page cache
     */
    void start(StoredBlock record, int offset, int wanted, boolean asFile) {
        running = true;
        bytes = wanted;
        long began = System.nanoTime();
        record.onDisk(read -> load(read, offset, wanted, asFile), piece -> ended(record, began, piece));
    }

    /** Starts a read that verifies the bytes and returns the verified buffer; takes ownership of the record. */
    void startChecked(StoredBlock record, int offset, int wanted) {
        running = true;
        bytes = wanted;
        long began = System.nanoTime();
        StoredBlock.Sums last = sums;
        record.onDisk(read -> read.readChecked(offset, wanted, last), piece -> {
            if (piece == null) {
                // A late read may still use the old checksums.
                sums = new StoredBlock.Sums();
            }
            ended(record, began, piece);
        });
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

    /** Releases a result that nobody took. */
    void release() {
        ReferenceCounted left = running ? null : take();
        if (left != null) {
            left.release();
        }
    }

    private @Nullable ReferenceCounted load(StoredBlock record, int offset, int wanted, boolean asFile)
            throws IOException {
        // The event loop sends a large piece from the file; verifying it here brings it into the page cache.
        boolean right = (!asFile && record.isVerified()) || record.verify();
        if (!right) {
            return null;
        }
        return asFile ? record.region(offset, wanted, loop) : record.read(offset, wanted);
    }
}
