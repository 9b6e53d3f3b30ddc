package io.millrace.cache.fill;

import io.millrace.cache.disk.segment.ChecksumPages;
import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A block on its way: the pages that are here, and who waits for more. Written by its run, one thread at a time; read by any.
 * Its memory goes when it is settled: stored, or given up; readers hold the page they are at for themselves.
 */
final class BlockFill {
    private final Fingerprint key;
    private final long number;
    private final int length;
    private final FillRun run;
    private final ByteBuf[] pages;
    private MemoryBudget.@Nullable Claim memory;
    private int filled;
    private List<Runnable> listeners = new ArrayList<>();
    private @Nullable Throwable failure;
    private boolean released;
    private boolean readToEnd;
    private boolean unstored;

    /**
     * @param number of the block in its object
     * @param length bytes of the block
     */
    BlockFill(Fingerprint key, long number, int length, FillRun run) {
        this.key = key;
        this.number = number;
        this.length = length;
        this.run = run;
        this.pages = new ByteBuf[ChecksumPages.count(length)];
    }

    Fingerprint key() {
        return key;
    }

    long number() {
        return number;
    }

    int length() {
        return length;
    }

    FillRun run() {
        return run;
    }

    /** Its memory, which it gives back when it is settled. */
    synchronized void holdMemory(MemoryBudget.Claim reserved) {
        memory = reserved;
    }

    /** Takes as much of {@code piece} as belongs here; its reader index moves. Called by the run. */
    void append(ByteBuf piece) {
        int at = filled;
        while (at < length && piece.isReadable()) {
            int page = at / ChecksumPages.SIZE;
            int offset = at % ChecksumPages.SIZE;
            if (offset == 0) {
                int bytes = ChecksumPages.length(page, length);
                pages[page] = PooledByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
            }
            int bytes = Math.min(piece.readableBytes(), pages[page].capacity() - offset);
            pages[page].setBytes(offset, piece, bytes);
            at += bytes;
        }
        publish(at);
    }

    boolean isComplete() {
        return filled == length;
    }

    /** Whether all of it is in memory; may be asked by anybody. */
    synchronized boolean isReadable() {
        return !released && failure == null && filled == length;
    }

    /** How much is here. */
    int filled() {
        return filled;
    }

    /** The pages of a complete block, for the disk; they stay the fill's. */
    List<ByteBuf> body() {
        List<ByteBuf> body = new ArrayList<>(pages.length);
        for (ByteBuf page : pages) {
            body.add(page.duplicate().setIndex(0, page.capacity()));
        }
        return body;
    }

    /**
     * Up to {@code max} bytes from {@code offset} on, at most to the end of a page; the caller owns them. Null if there is
     * nothing: not yet, or not any more.
     */
    synchronized @Nullable ByteBuf take(int offset, int max) {
        if (released || offset >= filled) {
            return null;
        }
        int page = offset / ChecksumPages.SIZE;
        int inPage = offset % ChecksumPages.SIZE;
        int here = Math.min(filled - page * ChecksumPages.SIZE, pages[page].capacity()) - inPage;
        int taken = Math.min(max, here);
        readToEnd |= offset + taken == length;
        return pages[page].retainedSlice(inPage, taken);
    }

    /** Whether it has been of use, or will not be: a reader had it to its end, or its run has none. */
    synchronized boolean isConsumed() {
        return readToEnd || !run.hasReaders();
    }

    /** Why it has failed, if it has. */
    synchronized @Nullable Throwable failure() {
        return failure;
    }

    /** Whether its memory was given back: it is on a disk, or has to be fetched again. */
    synchronized boolean isReleased() {
        return released;
    }

    /** No disk takes it. */
    void markUnstored() {
        List<Runnable> told;
        synchronized (this) {
            unstored = true;
            told = takeListeners();
        }
        told.forEach(Runnable::run);
    }

    /** Whether no disk takes it. */
    synchronized boolean isUnstored() {
        return unstored;
    }

    /** Calls {@code more} once there is something behind {@code offset}, or an end of any kind; perhaps at once. */
    void onProgress(int offset, Runnable more) {
        synchronized (this) {
            if (!released && failure == null && offset >= filled) {
                listeners.add(more);
                return;
            }
        }
        more.run();
    }

    /** Ends it badly: what is here stays until it is settled, readers hear of the failure behind it. */
    void fail(Throwable cause) {
        List<Runnable> told;
        synchronized (this) {
            failure = cause;
            told = takeListeners();
        }
        told.forEach(Runnable::run);
    }

    /** Gives its memory back, once. */
    void release() {
        List<Runnable> told;
        MemoryBudget.Claim held;
        synchronized (this) {
            if (released) {
                return;
            }
            released = true;
            held = memory;
            for (ByteBuf page : pages) {
                if (page != null) {
                    page.release();
                }
            }
            told = takeListeners();
        }
        told.forEach(Runnable::run);
        if (held != null) {
            held.release();
        }
    }

    private void publish(int bytes) {
        List<Runnable> told;
        synchronized (this) {
            filled = bytes;
            told = takeListeners();
        }
        told.forEach(Runnable::run);
    }

    private List<Runnable> takeListeners() {
        if (listeners.isEmpty()) {
            // Not that list: it may be added to while what is returned here is gone through.
            return List.of();
        }
        List<Runnable> told = listeners;
        listeners = new ArrayList<>();
        return told;
    }
}
