package io.millrace.cache.fill;

import io.millrace.cache.disk.Pages;
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
    private final Run run;
    private final ByteBuf[] pages;
    private MemoryBudget.@Nullable Claim memory;
    private int filled;
    private List<Runnable> waiting = new ArrayList<>();
    private @Nullable Throwable failure;
    private boolean gone;
    private boolean takenToItsEnd;
    private boolean unstored;

    /**
     * @param number of the block in its object
     * @param length bytes of the block
     */
    BlockFill(Fingerprint key, long number, int length, Run run) {
        this.key = key;
        this.number = number;
        this.length = length;
        this.run = run;
        this.pages = new ByteBuf[Pages.count(length)];
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

    Run run() {
        return run;
    }

    /** Its memory, which it gives back when it is settled. */
    synchronized void hold(MemoryBudget.Claim reserved) {
        memory = reserved;
    }

    /** Takes as much of {@code piece} as belongs here; its reader index moves. Called by the run. */
    void append(ByteBuf piece) {
        int at = filled;
        while (at < length && piece.isReadable()) {
            int page = at / Pages.SIZE;
            int offset = at % Pages.SIZE;
            if (offset == 0) {
                int bytes = Pages.length(page, length);
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
    synchronized boolean isHere() {
        return !gone && failure == null && filled == length;
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
        if (gone || offset >= filled) {
            return null;
        }
        int page = offset / Pages.SIZE;
        int inPage = offset % Pages.SIZE;
        int here = Math.min(filled - page * Pages.SIZE, pages[page].capacity()) - inPage;
        int taken = Math.min(max, here);
        takenToItsEnd |= offset + taken == length;
        return pages[page].retainedSlice(inPage, taken);
    }

    /** Whether it has been of use, or will not be: a reader had it to its end, or its run has none. */
    synchronized boolean isPassed() {
        return takenToItsEnd || !run.hasReaders();
    }

    /** Why it has failed, if it has. */
    synchronized @Nullable Throwable failure() {
        return failure;
    }

    /** Whether its memory was given back: it is on a disk, or has to be fetched again. */
    synchronized boolean isGone() {
        return gone;
    }

    /** No disk takes it. */
    void refused() {
        List<Runnable> told;
        synchronized (this) {
            unstored = true;
            told = takeWaiting();
        }
        told.forEach(Runnable::run);
    }

    /** Whether no disk takes it. */
    synchronized boolean isRefused() {
        return unstored;
    }

    /** Calls {@code more} once there is something behind {@code offset}, or an end of any kind; perhaps at once. */
    void await(int offset, Runnable more) {
        synchronized (this) {
            if (!gone && failure == null && offset >= filled) {
                waiting.add(more);
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
            told = takeWaiting();
        }
        told.forEach(Runnable::run);
    }

    /** Gives its memory back, once. */
    void settle() {
        List<Runnable> told;
        MemoryBudget.Claim held;
        synchronized (this) {
            if (gone) {
                return;
            }
            gone = true;
            held = memory;
            for (ByteBuf page : pages) {
                if (page != null) {
                    page.release();
                }
            }
            told = takeWaiting();
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
            told = takeWaiting();
        }
        told.forEach(Runnable::run);
    }

    private List<Runnable> takeWaiting() {
        if (waiting.isEmpty()) {
            // Not that list: it may be added to while what is returned here is gone through.
            return List.of();
        }
        List<Runnable> told = waiting;
        waiting = new ArrayList<>();
        return told;
    }
}
