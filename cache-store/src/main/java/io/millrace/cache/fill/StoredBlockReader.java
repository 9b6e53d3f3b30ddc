package io.millrace.cache.fill;

import io.millrace.cache.disk.BlockPageLayout;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.StoredBlock;
import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Reads cached blocks for one response body, one piece at a time: at once what is probably in memory, the rest on the
 * disk's own threads. The reader's thread calls; it or the disk's thread delivers the result.
 */
final class StoredBlockReader {
    private final BlockStore store;
    private final NonBlockingBlockReader immediate;
    private final boolean buffersOnly;
    private final Executor loop;
    private final Runnable ended;
    private volatile @Nullable ReferenceCounted piece;
    private volatile boolean running;
    private volatile boolean failed;
    private int bytes;
    private volatile StoredBlock.Sums sums = new StoredBlock.Sums();

    /**
     * @param immediate reads what is in memory
     * @param buffersOnly whether no piece may be a file region
     * @param loop the reader's thread
     * @param ended called on the disk's thread after each read that did not end at once
     */
    StoredBlockReader(
            BlockStore store, NonBlockingBlockReader immediate, boolean buffersOnly, Executor loop, Runnable ended) {
        this.store = store;
        this.immediate = immediate;
        this.buffersOnly = buffersOnly;
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
     * Reads bytes of a block, or the first of them; takes ownership of the record. When it returns, the read has ended
     * or {@link #isRunning}.
     */
    void read(Fingerprint key, StoredBlock record, int offset, int wanted) {
        int length = buffersOnly ? Math.min(wanted, CachedRangeStream.SMALL) : wanted;
        boolean asFile = length > CachedRangeStream.SMALL;
        boolean isChecked = store.verifiesAlways();
        boolean isVerified = record.isVerified();
        if (isVerified && !isChecked && readFromMemory(key, record, offset, length, asFile)) {
            return;
        }
        // A verified block was so in memory, but its bytes never as read from the disk.
        if (isChecked || buffersOnly || (isVerified && !asFile)) {
            startChecked(record, offset, wanted);
        } else {
            start(record, offset, wanted, asFile);
        }
    }

    /** Reads bytes of a verified block if they are probably in memory; otherwise returns false and keeps the record. */
    private boolean readFromMemory(Fingerprint key, StoredBlock record, int offset, int length, boolean asFile) {
        ByteBuf copy = asFile ? null : immediate.readCopy(key, record, offset, length);
        if (copy == null && !record.isLikelyInMemory(offset, length)) {
            return false;
        }
        try (record) {
            bytes = length;
            if (copy != null) {
                deliver(copy);
            } else if (asFile) {
                deliver(record.region(offset, length, loop));
            } else {
                deliver(immediate.readPageCache(key, record, offset, length));
            }
        } catch (IOException e) {
            record.dropUnreadable(e);
            deliver(null);
        }
        return true;
    }

    private void deliver(@Nullable ReferenceCounted read) {
        piece = read;
        failed = read == null;
    }

    /** @param asFile whether to return a file region, which is verified and read into the page cache */
    private void start(StoredBlock record, int offset, int wanted, boolean asFile) {
        running = true;
        bytes = wanted;
        long began = System.nanoTime();
        record.onDisk(read -> load(read, offset, wanted, asFile), piece -> ended(record, began, piece));
    }

    /** Starts a read that verifies the bytes, as many as it may, and returns the verified buffer. */
    private void startChecked(StoredBlock record, int offset, int wanted) {
        running = true;
        int checked = Math.min(wanted, StoredBlock.CHECK_BYTES - offset % BlockPageLayout.SIZE);
        bytes = checked;
        long began = System.nanoTime();
        StoredBlock.Sums last = sums;
        record.onDisk(read -> read.readChecked(offset, checked, last), piece -> {
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
        deliver(read);
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
