package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.CacheDisks;
import io.millrace.cache.disk.Scrubber;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.fill.FillManager;
import io.millrace.cache.fill.FillMemoryBudget;
import io.millrace.cache.fill.NonBlockingBlockReader;
import io.millrace.cache.metadata.MetadataCache;
import io.millrace.cache.metadata.MetadataStorePaths;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.StaleEpoch;
import io.millrace.cache.metadata.VersionFingerprints;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.residency.GroupResidencyCounter;
import io.millrace.cache.residency.ResidencyGroup;
import io.millrace.cache.settings.CacheSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;

/**
 * Caches object metadata and the blocks of object versions on local disks. Metadata may be stale; blocks are immutable.
 * Opens, recovers and closes the cache and hands out its parts; callers decide about freshness. Thread-safe; only
 * {@link #open}, {@link #recover}, {@link #close} and {@link CacheAdministration#returnDisk} block.
 */
public final class BlockCache implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BlockCache.class);

    private final BlockStore store;
    private final MetadataCache metadata;
    private final Scrubber scrubber;
    private final CachedRangeScanner scanner;
    private final NonBlockingBlockReader immediate;
    private final FillManager fills;
    private final CacheReader reader;
    private final WriteFence writes;
    private final CachePrefetcher prefetcher;
    private final CachedObjectAdministration inventory;
    private final CacheAdministration administration;
    private final ScratchStore scratch;
    private final Disposable.Swap slowDisks = Disposables.swap();

    /**
     * @param store an open store, owned and closed by this cache
     * @param metadata owned and closed by this cache
     */
    BlockCache(
            CacheSettings settings,
            BlockStore store,
            MetadataCache metadata,
            CacheEventListener recorder,
            InstantSource clock) {
        this.store = store;
        this.metadata = metadata;
        this.scrubber = new Scrubber(store.disks(), settings.scrub(), recorder, clock);
        FillMemoryBudget memory = new FillMemoryBudget(settings.fillMemory().bytes());
        this.immediate = new NonBlockingBlockReader(store, settings.memoryTier().bytes(), recorder);
        this.fills = new FillManager(store, memory, immediate, recorder);
        VersionFillSourceFactory versions = new VersionFillSourceFactory(
                store,
                (id, failure) -> ObjectFetcher.invalidateIfMissing(metadata, id, failure),
                (id, failure) -> refused(metadata, recorder, id, failure),
                metadata::storePublished);
        BlockLocator locator = new BlockLocator(store, fills);
        this.scanner = new CachedRangeScanner(locator);
        ObjectFetcher fetcher = new ObjectFetcher(
                (int) settings.blockSize().bytes(),
                metadata,
                new VersionFingerprints(store.hash()),
                versions,
                fills,
                memory,
                clock);
        this.reader = new CacheReader(metadata, fetcher, versions, fills, immediate, locator, scanner);
        this.writes = new WriteFence(metadata, fetcher);
        this.prefetcher = new CachePrefetcher(fetcher, versions, fills, memory);
        this.inventory = new CachedObjectAdministration(store, metadata, locator);
        this.administration = new CacheAdministration(store, metadata, fills, memory, scrubber);
        this.scratch = new ScratchStore(store, metadata, fills, versions, fetcher, locator, scanner);
    }

    /**
     * Opens the disks of the settings and tracks the residency of some prefixes; blocks.
     *
     * @param counted each prefix of a bucket once, {@link GroupResidencyCounter#MOST} at most
     * @param remembered the folder of the cache state file
     * @throws IOException if a disk cannot be used; the message says which, why, and what to do
     */
    public static BlockCache open(
            CacheSettings settings,
            List<ResidencyGroup> counted,
            Path remembered,
            CacheEventListener recorder,
            InstantSource clock)
            throws IOException {
        AdmissionAndEvictionPolicy policy = AdmissionAndEvictionPolicy.frequency(settings.frequencyMemory());
        BlockStore store = BlockStore.open(
                settings, remembered, policy, hash -> new GroupResidencyCounter(counted, hash, policy), recorder);
        CacheDisks disks = store.disks();
        try {
            MetadataCache metadata = MetadataCache.open(
                    settings.metadata(),
                    MetadataStorePaths.of(settings.metadata(), remembered),
                    new VersionFingerprints(store.hash()),
                    new StaleEpoch(StaleEpoch.first(disks.run()), disks.staleAtStart(), disks.epochRecords()),
                    disks.run(),
                    cached -> BlockLocator.isAnyResident(store, cached));
            return new BlockCache(settings, store, metadata, recorder, clock);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /**
     * Recovers the blocks of earlier runs from the disks. Blocks until it is done or the cache is closed. A block is a
     * miss until it is recovered.
     */
    public void recover() {
        store.disks().recover();
        scrubber.start();
        // After a close nothing is scheduled.
        boolean unused = slowDisks.update(Schedulers.parallel()
                .schedulePeriodically(
                        new SlowDiskLogger(administration::disks, administration::slowness)::check,
                        1,
                        1,
                        TimeUnit.MINUTES));
    }

    public CacheReader reader() {
        return reader;
    }

    public WriteFence writeFence() {
        return writes;
    }

    public CachePrefetcher prefetcher() {
        return prefetcher;
    }

    public CachedObjectAdministration inventory() {
        return inventory;
    }

    public CacheAdministration administration() {
        return administration;
    }

    public ScratchStore scratch() {
        return scratch;
    }

    @Override
    public void close() {
        scrubber.close();
        slowDisks.dispose();
        scanner.close();
        try {
            metadata.close();
            store.disks().stopped();
        } catch (IOException e) {
            log.warn(
                    "The metadata store is not closed in order; if the machine restarts before the next start, all"
                            + " metadata is revalidated once: {}",
                    e.toString());
        }
        store.close();
        fills.close();
        immediate.close();
    }

    private static void refused(
            MetadataCache metadata, CacheEventListener recorder, ObjectId id, BackendException failure) {
        recorder.checksumMismatch();
        // Without metadata the next read opens the object anew, and its bytes are compared again.
        metadata.invalidateMissing(id);
        log.warn(
                "The bytes of {} from backend '{}' are refused: {}; the reader's connection is closed, and nothing of"
                        + " the fetch stays cached. If it happens again, compare the object at the backend with its"
                        + " checksum, and check the network and memory in between",
                id.object(),
                id.backend(),
                failure.getMessage());
    }
}
