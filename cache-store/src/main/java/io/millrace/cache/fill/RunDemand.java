package io.millrace.cache.fill;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The demand for a run: its readers, the first of whom may be still to come, and whether a prefetch needs its blocks
 * stored. Thread-safe.
 */
final class RunDemand {
    private final AtomicInteger readers = new AtomicInteger();

    /** Whether its first reader, who opened the object, has not joined yet. */
    private volatile boolean awaitsReader;

    /** Whether no reader waits for the run, so that its memory claims queue after those of readers. */
    private volatile boolean prefetch;

    /** Whether a prefetch needs the blocks stored, regardless of admission. */
    private volatile boolean storingRequested;

    /** @param quiet whether the run is a prefetch, for which no reader waits */
    RunDemand(boolean quiet) {
        this.prefetch = quiet;
        this.storingRequested = quiet;
    }

    /** Adds a reader. */
    void join() {
        readers.incrementAndGet();
        awaitsReader = false;
    }

    /** Removes a reader; returns whether it was the last one. */
    boolean leave() {
        return readers.decrementAndGet() == 0;
    }

    /** Counts the first reader before it joins. */
    void awaitReader() {
        awaitsReader = true;
    }

    /** Counts a first reader that has not joined no longer. */
    void awaitNoReader() {
        awaitsReader = false;
    }

    boolean awaitsReader() {
        return awaitsReader;
    }

    /** Returns whether a reader has joined and not left. */
    boolean isRead() {
        return readers.get() > 0;
    }

    /** Returns whether there is a reader, or the first one is still to come. */
    boolean hasReaders() {
        return isRead() || awaitsReader;
    }

    /** Turns a prefetch into a fill for a reader; returns whether it was a prefetch. */
    boolean promote() {
        boolean wasPrefetch = prefetch;
        if (wasPrefetch) {
            prefetch = false;
        }
        return wasPrefetch;
    }

    boolean isPrefetch() {
        return prefetch;
    }

    void requestStoring() {
        storingRequested = true;
    }

    boolean isStoringRequested() {
        return storingRequested;
    }
}
