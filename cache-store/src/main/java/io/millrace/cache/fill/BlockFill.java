package io.millrace.cache.fill;

import io.millrace.cache.disk.BlockPageLayout;
import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A block that is being fetched from its backend: the pages received so far and the readers waiting for more. Its
 * {@link AdjacentBlockFetch} writes it, one thread at a time; any thread may read it. Its memory is released when the
 * block is stored or abandoned; a reader retains the page it is at.
 */
final class BlockFill {
    private final Fingerprint key;
    private final long number;
    private final int length;
    private final AdjacentBlockFetch run;
    private final ByteBuf[] pages;
    private FillMemoryBudget.@Nullable Claim memory;
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
    BlockFill(Fingerprint key, long number, int length, AdjacentBlockFetch run) {
        this.key = key;
        this.number = number;
        this.length = length;
        this.run = run;
        this.pages = new ByteBuf[BlockPageLayout.count(length)];
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

    AdjacentBlockFetch run() {
        return run;
    }

    /** Sets the memory claim that {@link #release} gives back. */
    synchronized void holdMemory(FillMemoryBudget.Claim reserved) {
        memory = reserved;
    }

    /** Copies as much of {@code piece} as belongs to this block and advances its reader index. Called by the run. */
    void append(ByteBuf piece) {
        int at = filled;
        while (at < length && piece.isReadable()) {
            int page = at / BlockPageLayout.SIZE;
            int offset = at % BlockPageLayout.SIZE;
            if (offset == 0) {
                int bytes = BlockPageLayout.length(page, length);
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

    /** Returns whether its bytes are in memory, will come, or have left it: they are on a disk then. Thread-safe. */
    synchronized BlockAvailability availability() {
        if (released) {
            return BlockAvailability.ABSENT;
        }
        return failure == null && filled == length ? BlockAvailability.AVAILABLE : BlockAvailability.IN_FLIGHT;
    }

    /** Returns the number of bytes received. */
    int filled() {
        return filled;
    }

    /** Returns the pages of a complete block for the disk; this block still owns them. */
    List<ByteBuf> body() {
        List<ByteBuf> body = new ArrayList<>(pages.length);
        for (ByteBuf page : pages) {
            body.add(page.duplicate().setIndex(0, page.capacity()));
        }
        return body;
    }

    /**
     * Returns up to {@code max} bytes from {@code offset}, ending at a page boundary at the latest; the caller owns
     * them. Null if these bytes have not arrived, or were released.
     */
    synchronized @Nullable ByteBuf take(int offset, int max) {
        if (released || offset >= filled) {
            return null;
        }
        int page = offset / BlockPageLayout.SIZE;
        int inPage = offset % BlockPageLayout.SIZE;
        int here = Math.min(filled - page * BlockPageLayout.SIZE, pages[page].capacity()) - inPage;
        int taken = Math.min(max, here);
        readToEnd |= offset + taken == length;
        return pages[page].retainedSlice(inPage, taken);
    }

    /** Returns whether a reader has read the block to its end, or its run has no readers. */
    synchronized boolean isConsumed() {
        return readToEnd || !run.hasReaders();
    }

    /** Returns the failure of the fill, or null. */
    synchronized @Nullable Throwable failure() {
        return failure;
    }

    /** Returns whether its memory was released: the block is on a disk, or must be fetched again. */
    synchronized boolean isReleased() {
        return released;
    }

    /** Marks the block as one that no disk takes. */
    void markUnstored() {
        List<Runnable> waiting;
        synchronized (this) {
            unstored = true;
            waiting = takeListeners();
        }
        waiting.forEach(Runnable::run);
    }

    /** Returns whether no disk takes the block. */
    synchronized boolean isUnstored() {
        return unstored;
    }

    /**
     * Calls {@code more} once bytes after {@code offset} have arrived or the block has ended in any way; at once if
     * that is so already.
     */
    void onProgress(int offset, Runnable more) {
        synchronized (this) {
            if (!released && failure == null && offset >= filled) {
                listeners.add(more);
                return;
            }
        }
        more.run();
    }

    /** Fails the fill. Readers still get the bytes received so far, and then the failure. */
    void fail(Throwable cause) {
        List<Runnable> waiting;
        synchronized (this) {
            failure = cause;
            waiting = takeListeners();
        }
        waiting.forEach(Runnable::run);
    }

    /** Releases the memory; further calls do nothing. */
    void release() {
        List<Runnable> waiting;
        FillMemoryBudget.Claim held;
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
            waiting = takeListeners();
        }
        waiting.forEach(Runnable::run);
        if (held != null) {
            held.release();
        }
    }

    private void publish(int bytes) {
        List<Runnable> waiting;
        synchronized (this) {
            filled = bytes;
            waiting = takeListeners();
        }
        waiting.forEach(Runnable::run);
    }

    private List<Runnable> takeListeners() {
        if (listeners.isEmpty()) {
            // Not the list itself, because it may grow while the caller iterates.
            return List.of();
        }
        List<Runnable> waiting = listeners;
        listeners = new ArrayList<>();
        return waiting;
    }
}
