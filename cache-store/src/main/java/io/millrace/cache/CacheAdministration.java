package io.millrace.cache;

import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.CacheDisks;
import io.millrace.cache.disk.DiskScrubStatus;
import io.millrace.cache.disk.Scrubber;
import io.millrace.cache.eviction.ShadowCaches;
import io.millrace.cache.fill.FillManager;
import io.millrace.cache.fill.FillMemoryBudget;
import io.millrace.cache.metadata.MetadataCache;
import io.millrace.cache.metadata.MetadataStoreStats;
import io.millrace.cache.monitor.DiskSnapshot;
import io.millrace.cache.monitor.LatencyWindow;
import java.io.IOException;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Reports the state of the cache and its disks to operators, and scrubs and reattaches disks for them. Safe for use by
 * any number of threads.
 */
public final class CacheAdministration {
    /** The sizes for {@link #hitRatioAt}, as multiples of the cache's own size. */
    public static final List<Double> SHADOW_SIZES = ShadowCaches.SIZES;

    private final BlockStore store;
    private final CacheDisks disks;
    private final MetadataCache metadata;
    private final FillManager fills;
    private final FillMemoryBudget memory;
    private final Scrubber scrubber;

    CacheAdministration(
            BlockStore store, MetadataCache metadata, FillManager fills, FillMemoryBudget memory, Scrubber scrubber) {
        this.store = store;
        this.disks = store.disks();
        this.metadata = metadata;
        this.fills = fills;
        this.memory = memory;
        this.scrubber = scrubber;
    }

    /** Returns numbers for meters. */
    public CacheOccupancy stats() {
        return new CacheOccupancy(
                disks.used(),
                disks.capacity(),
                disks.limit(),
                store.records(),
                store.indexMemory(),
                fills.size(),
                memory.used());
    }

    /** Returns how many bytes were stored that another gateway has stored too, their home. */
    public long copiedBytes() {
        return fills.copiedBytes();
    }

    /** Returns numbers of the metadata store. */
    public MetadataStoreStats metadataStats() {
        return metadata.stats();
    }

    /**
     * Returns the hit ratio that the recent reads of blocks would have had with one of the {@link #SHADOW_SIZES}; empty
     * if there were too few reads. An estimate from a sample of the blocks.
     *
     * @param size its place in the list
     */
    public OptionalDouble hitRatioAt(int size) {
        return store.hitRatioAt(size);
    }

    /** Returns whether recovery has ended; until then blocks of earlier runs may be misses. */
    public boolean isRecovered() {
        return disks.isRecovered();
    }

    /** Returns the states of the disks, in the order of the settings. */
    public List<DiskSnapshot> disks() {
        return disks.states();
    }

    /**
     * Returns, for each disk, the latency of its reads in the last minutes as a multiple of the backends' for the same
     * bytes; 0 if there is too little data. Far above 1, a miss is faster than a hit on that disk.
     */
    public List<Double> slowness() {
        return disks.readLatencies().stream()
                .map(disk -> disk.ratioTo(fills.fetchLatency()))
                .toList();
    }

    /** Returns the totals of the reads that went to each disk, in the order of the settings. */
    public List<LatencyWindow.Totals> diskReads() {
        return disks.readLatencies().stream().map(LatencyWindow::totals).toList();
    }

    /**
     * Returns the totals of the blocks written to each disk, in the order of the settings: the bytes of their bodies,
     * and the time since each was queued.
     */
    public List<LatencyWindow.Totals> diskWrites() {
        return disks.written();
    }

    /** Returns the state of each disk's scrub, in the order of the settings. */
    public List<DiskScrubStatus> scrubs() {
        return scrubber.states();
    }

    /**
     * Starts a scrub of a whole disk.
     *
     * @param disk its number, from 0
     * @return whether it will run: not if the settings have no scrubbing
     */
    public boolean scrub(int disk) {
        return scrubber.now(disk);
    }

    /**
     * Returns a disk to service that was lost; blocks.
     *
     * @param disk its number, from 0
     * @throws IOException if it cannot be used; the message says why, and what to do
     */
    public void returnDisk(int disk) throws IOException {
        disks.returnDisk(disk);
    }
}
