package io.millrace.cache.disk.io;

import java.io.InterruptedIOException;

/**
 * Bytes of one disk that were written and are on their way to it: what a power cut takes at most, with what was written since. The
 * writer waits for a disk that does not keep up, so that it does not become more. Safe for concurrent use.
 */
public final class DirtyBytes {
    /** What a power cut may take of a disk. */
    static final long MOST = 64 << 20;

    /** The part of a small disk that it may take, one in so many. What goes first has long been forced then, and its room is free at once. */
    private static final int PART = 8;

    private final long most;
    private final Runnable goesOn;
    private long underWay;

    /**
     * @param size of the disk, in bytes
     * @param goesOn told by whoever waits, each time that something has come to the disk; must not block
     */
    public DirtyBytes(long size, Runnable goesOn) {
        this.most = Math.min(MOST, size / PART);
        this.goesOn = goesOn;
    }

    /** So much is forced at once: while it is, as much again may be written. */
    public long atOnce() {
        return most / 2;
    }

    /** So many bytes are being forced from now on. */
    public synchronized void begin(long bytes) {
        underWay += bytes;
    }

    /** They are on the disk, or their failure was told. */
    public synchronized void end(long bytes) {
        underWay -= bytes;
        notifyAll();
    }

    /** Waits until so many bytes more are not too many; alone they never are. */
    public void awaitRoomFor(long bytes) throws InterruptedIOException {
        await(Math.max(0, most - bytes));
    }

    /** Waits until nothing is under way. */
    public void awaitAll() throws InterruptedIOException {
        await(0);
    }

    private synchronized void await(long most) throws InterruptedIOException {
        try {
            while (underWay > most) {
                wait();
                goesOn.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a disk was forced");
        }
    }
}
