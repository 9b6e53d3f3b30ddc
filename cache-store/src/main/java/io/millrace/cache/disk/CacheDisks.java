package io.millrace.cache.disk;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy.Space;
import io.millrace.cache.eviction.ShadowCaches;
import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.metadata.StaleEpoch;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.DiskSnapshot;
import io.millrace.cache.monitor.LatencyWindow;
import io.millrace.cache.residency.GroupResidencyCounter;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The disks of the cache: opens, recovers, reports, returns and closes them, and chooses the one for the next block.
 * One process owns the disks at a time; each has its own writer thread. Safe for use by any number of threads.
 */
public final class CacheDisks {
    private static final Logger log = LoggerFactory.getLogger(CacheDisks.class);

    /**
     * The bonus of a full disk whose open segment has room left: it is preferred until 3 MiB more wait for it than for
     * others.
     */
    private static final double LOAD_LEFT = 3.0 / 64;

    private final SharedDiskComponents parts;
    private final List<CacheDisk> disks;
    private final DiskWatchdog watch;
    private final DiskAttacher opener;
    private final StaleEpochRecorder epochRecords;
    private volatile boolean recovered;

    /** Set while a lost disk is being returned, which may hang. */
    private final AtomicBoolean returning = new AtomicBoolean();

    private CacheDisks(List<CacheDisk> disks, SharedDiskComponents parts, DiskWatchdog watch, DiskAttacher opener) {
        this.disks = disks;
        this.parts = parts;
        this.opener = opener;
        this.watch = watch;
        this.epochRecords = new StaleEpochRecorder(
                opener.state(),
                () -> disks.stream()
                        .filter(disk -> !disk.isLost())
                        .map(CacheDisk::superblock)
                        .toList());
        disks.forEach(CacheDisk::start);
        if (!disks.isEmpty()) {
            watch.start();
        }
        parts.groups().cacheSize(this::limit);
    }

    /**
     * Opens the disks of the settings. Their content is found after {@link #recover} has read it.
     *
     * @param memory folder of the cache state file
     * @param counted makes the groups from the hash of the store
     * @throws IOException if a disk cannot be used; the message says which, why, and what to do
     */
    static CacheDisks open(
            CacheSettings settings,
            Path memory,
            AdmissionAndEvictionPolicy policy,
            Function<FingerprintHash, GroupResidencyCounter> counted,
            CacheEventListener recorder)
            throws IOException {
        OpenDiskFolders folders = OpenDiskFolders.open(settings.disks(), memory);
        try {
            SegmentTable segments = new SegmentTable();
            GroupResidencyCounter groups = counted.apply(folders.hash());
            SharedDiskComponents parts = new SharedDiskComponents(
                    folders.hash(),
                    new BlockIndex(settings.indexMemory().bytes(), groups),
                    segments,
                    policy,
                    new ShadowCaches(
                            settings.disks().stream()
                                    .mapToLong(disk -> disk.size().bytes())
                                    .sum(),
                            settings.blockSize().bytes()),
                    groups,
                    new PinnedBlockFilter(),
                    new PageCacheEstimate(PageCacheSize.bytes() / 2),
                    recorder);
            Map<CacheDisk, List<ExistingSegmentFile>> found = new TreeMap<>(Comparator.comparing(CacheDisk::path));
            List<CacheDisk> disks = new CopyOnWriteArrayList<>();
            PauseAwareClock clock = new PauseAwareClock();
            InlineReadWatchdog eventLoopReads = new InlineReadWatchdog(clock);
            List<List<Path>> files = new ArrayList<>();
            for (LockedDiskFolder folder : folders.folders()) {
                files.add(folder.segmentFiles());
            }
            files.forEach(ofDisk -> segments.raiseNumber(ExistingSegmentFile.highest(ofDisk)));
            Set<Integer> taken = ExistingSegmentFile.noneTaken();
            DiskAttacher opener = new DiskAttacher(settings, folders, parts, clock, eventLoopReads);
            for (int i = 0; i < settings.disks().size(); i++) {
                CacheDisk opened = opener.atStart(i);
                disks.add(opened);
                found.put(opened, ExistingSegmentFile.of(files.get(i), taken, segments));
            }
            found.forEach(CacheDisk::expect);
            return new CacheDisks(disks, parts, new DiskWatchdog(clock, eventLoopReads, disks), opener);
        } catch (IOException | RuntimeException e) {
            folders.close();
            throw e;
        }
    }

    /**
     * Reads what earlier runs left into the index, all disks in parallel; blocks. Blocks that are not read yet are
     * misses. Ends early when the store is closed; the next start reads the rest.
     */
    public void recover() {
        List<CacheDisk> atStart = List.copyOf(disks);
        Map<CacheDisk, DiskIndexRecovery> recoveries = new LinkedHashMap<>();
        atStart.forEach(disk -> recoveries.put(disk, disk.recovery()));
        try {
            parts.index()
                    .expect(ofEach(recoveries, DiskIndexRecovery::open).stream()
                            .mapToLong(Long::longValue)
                            .sum());
            ofEach(recoveries, recovery -> {
                recovery.read();
                return true;
            });
        } catch (RuntimeException e) {
            log.error(
                    "Recovering the cache disks failed in part: blocks that were not read are fetched again on demand",
                    e);
        }
        if (recoveries.values().stream().noneMatch(DiskIndexRecovery::hasEndedEarly)) {
            // All disks at once: eviction compares what is on all of them.
            atStart.forEach(CacheDisk::recovered);
            recovered = true;
        }
    }

    /** Runs a step on all disks in parallel, and waits for all of them. */
    private static <T> List<T> ofEach(
            Map<CacheDisk, DiskIndexRecovery> recoveries, Function<DiskIndexRecovery, T> step) {
        List<CompletableFuture<T>> running = new ArrayList<>();
        recoveries.forEach((disk, recovery) -> running.add(CompletableFuture.supplyAsync(
                () -> step.apply(recovery),
                task -> DaemonThreads.start("recovery-" + disk.path().getFileName(), task))));
        CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
        return running.stream().map(CompletableFuture::join).toList();
    }

    /** Returns whether everything on the disks has been read into the index. */
    public boolean isRecovered() {
        return recovered;
    }

    /**
     * Returns whether all blocks that are on disks can be found: each disk is recovered, and none is lost or does not
     * respond now.
     */
    public boolean showAll() {
        return disks.stream().allMatch(CacheDisk::showsAll);
    }

    /** Returns the number of this run, one more than that of the last. */
    public long run() {
        return opener.run();
    }

    /** Returns the stale epoch that this run begins with. */
    public long staleAtStart() {
        return opener.staleAtStart();
    }

    /** Returns what records the stale epoch: in the cache state file and on each disk. */
    public StaleEpoch.Recorder epochRecords() {
        return epochRecords;
    }

    /** Returns the bytes of all segments on all disks. */
    public long used() {
        return disks.stream().mapToLong(CacheDisk::used).sum();
    }

    /** Returns the bytes of all disks according to the settings. */
    public long capacity() {
        return disks.stream().mapToLong(CacheDisk::capacity).sum();
    }

    /** Returns the bytes that segments may take now: less where a file system has less, and nothing for a lost disk. */
    public long limit() {
        return disks.stream().mapToLong(CacheDisk::limit).sum();
    }

    /** Returns the states of the disks, in the order of the settings. */
    public List<DiskSnapshot> states() {
        return disks.stream().map(CacheDisk::state).toList();
    }

    /**
     * Returns the access of the scrubber to a disk.
     *
     * @param disk its number in the order of the settings, from 0
     */
    public DiskScrubAccess checks(int disk) {
        return disks.get(disk).checks();
    }

    /**
     * Returns a lost disk to service on an operator's command, and blocks until it is recovered. Not to be called
     * before {@link #isRecovered}.
     *
     * @param number in the order of the settings, from 0
     * @throws IOException if the disk cannot be used; the message says why, and what to do
     */
    public void returnDisk(int number) throws IOException {
        if (!returning.compareAndSet(false, true)) {
            throw new IOException("a disk is being returned already: try again after that has ended");
        }
        try {
            returnLostDisk(number);
        } finally {
            returning.set(false);
        }
    }

    private void returnLostDisk(int number) throws IOException {
        CacheDisk lost = disks.get(number);
        if (!lost.isLost()) {
            throw new IOException("the cache folder %s is not lost".formatted(lost.path()));
        }
        if (!recovered) {
            throw new IOException(("the cache folder %s cannot be returned while others are still being recovered: try"
                            + " again when 'millrace disks' shows none that is recovering")
                    .formatted(lost.path()));
        }
        lost.close();
        if (!lost.hasEnded()) {
            throw new IOException(
                    "a write to the cache folder %s still hangs: wait for it, or restart".formatted(lost.path()));
        }
        List<CacheDisk> others = disks.stream().filter(disk -> !disk.isLost()).toList();
        DiskAttacher.Returned returned = opener.again(number, lost.path(), others);
        CacheDisk disk = returned.disk();
        disk.expect(returned.files());
        disk.start();
        disks.set(number, disk);
        DiskIndexRecovery recovery = disk.recovery();
        try {
            long unused = recovery.open();
            recovery.read();
        } finally {
            disk.recovered();
        }
        log.info("The cache folder {} is reattached", disk.path());
    }

    /** Returns the recent read latencies of each disk, in the order of the settings. */
    public List<LatencyWindow> readLatencies() {
        return disks.stream().map(CacheDisk::readLatency).toList();
    }

    /** Returns the totals of the blocks written to each disk, in the order of the settings. */
    public List<LatencyWindow.Totals> written() {
        return disks.stream().map(CacheDisk::written).toList();
    }

    /**
     * Records a clean shutdown; to be called after the metadata store is closed and before {@link BlockStore#close}.
     *
     * @throws IOException if that cannot be written: a start after the machine has restarted is then one after a power
     *     loss
     */
    public void stopped() throws IOException {
        opener.state().stopped();
    }

    /** Writes what is queued, and releases the disks. Neither they nor their blocks must be used during or after it. */
    void close() {
        // In parallel, because a disk that hangs takes some seconds.
        List<Thread> closing = disks.stream().map(CacheDisks::closing).toList();
        try {
            for (Thread each : closing) {
                each.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        opener.state().end();
        watch.close();
    }

    private static Thread closing(CacheDisk disk) {
        return DaemonThreads.start(CacheDisk.name(disk.path()) + "-close", disk::close);
    }

    /** Returns what the disks share. */
    SharedDiskComponents parts() {
        return parts;
    }

    /** Returns the disk with the most room and the shortest queue; null if none accepts writes. */
    @Nullable CacheDisk leastLoaded() {
        CacheDisk least = null;
        double leastLoad = 0;
        for (CacheDisk disk : disks) {
            if (disk.takesBlocks()) {
                double load = load(disk);
                if (least == null || load < leastLoad) {
                    least = disk;
                    leastLoad = load;
                }
            }
        }
        return least;
    }

    /**
     * Returns how loaded a disk is: its fullness and its queue. Full disks are equal whatever their size, except for
     * room in the open segment.
     */
    private static double load(CacheDisk disk) {
        double full = Math.min(1, (double) disk.used() / Math.max(1, disk.limit()));
        double left = disk.space(0) == Space.LEFT ? LOAD_LEFT : 0;
        return full - left + (double) disk.queued() / (64 << 20);
    }
}
