package io.millrace.cache.disk;

import java.io.InterruptedIOException;

/**
 * Tracks bytes written but not yet synced to one disk, and blocks its writer above a limit. With what was written
 * since, the limit bounds what a power cut may take. Safe for concurrent use.
 */
final class DirtyBytes {
    /** Bytes that a power cut may take of a disk. */
    static final long MOST = 64 << 20;

    /**
     * Divisor of a small disk's size: the part that a power cut may take. Evicted segments were synced long before, so
     * their space is free at once.
     */
    private static final int PART = 8;

    private final long most;
    private final Runnable goesOn;
    private long underWay;

    /**
     * @param size of the disk, in bytes
     * @param goesOn called by the waiting thread each time that a sync has ended; must not block
     */
    DirtyBytes(long size, Runnable goesOn) {
        this.most = Math.min(MOST, size / PART);
        this.goesOn = goesOn;
    }

    /** Returns the bytes to sync at once: as many again may be written meanwhile. */
    long atOnce() {
        return most / 2;
    }

    /** Counts bytes whose sync begins. */
    synchronized void begin(long bytes) {
        underWay += bytes;
    }

    /** Counts bytes whose sync has ended or failed. */
    synchronized void end(long bytes) {
        underWay -= bytes;
        notifyAll();
    }

    /** Waits until so many more bytes are within the limit, or nothing is dirty. */
    void awaitCapacity(long bytes) throws InterruptedIOException {
        await(Math.max(0, most - bytes));
    }

    /** Waits until no sync is running. */
    void awaitAll() throws InterruptedIOException {
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
            throw new InterruptedIOException("interrupted while waiting for a sync");
        }
    }
}
