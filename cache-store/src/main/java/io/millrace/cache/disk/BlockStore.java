package io.millrace.cache.disk;

import io.millrace.cache.disk.folder.LockedDiskFolder;
import io.millrace.cache.disk.folder.OpenDiskFolders;
import io.millrace.cache.disk.folder.StaleEpochRecorder;
import io.millrace.cache.disk.io.NonBlockingDiskAccess;
import io.millrace.cache.disk.io.PageCacheSize;
import io.millrace.cache.disk.io.PauseAwareClock;
import io.millrace.cache.disk.segment.BlockDraft;
import io.millrace.cache.disk.segment.ExistingSegmentFile;
import io.millrace.cache.disk.segment.PageCacheEstimate;
import io.millrace.cache.disk.segment.RecordHeader;
import io.millrace.cache.disk.segment.Segment;
import io.millrace.cache.disk.segment.SegmentTable;
import io.millrace.cache.disk.space.PinnedRecordFilter;
import io.millrace.cache.disk.space.SharedStoreComponents;
import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.eviction.EvictionPolicy.Space;
import io.millrace.cache.eviction.ShadowCaches;
import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.metadata.StaleEpoch;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.DiskState;
import io.millrace.cache.monitor.LatencyWindow;
import io.millrace.cache.residency.GroupResidency;
import io.millrace.cache.residency.ResidencyGroups;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.Verification;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores blocks on all disks of the cache and finds them by fingerprint. One process owns the disks at a time. Finding
 * a block is a lookup in memory; each disk has its own writer thread. Safe for use by any number of threads.
 */
public final class BlockStore implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BlockStore.class);

    /**
     * The bonus of a full disk whose open segment has room left: it is preferred until 3 MiB more wait for it than for
     * others.
     */
    private static final double LOAD_LEFT = 3.0 / 64;

    /** Index fullness below which new entries are free: the share that remains after the eviction of a few segments. */
    private static final double INDEX_FREE = 0.8;

    /** Index fullness above which the next entry is likely to cost the eviction of a segment. */
    private static final double INDEX_LEFT = 0.97;

    /** Visible to tests. */
    final SharedStoreComponents parts;

    private final List<CacheDisk> disks;
    private final DiskWatchdog watch;
    private final DiskOpener opener;
    private final StaleEpochRecorder epochRecords;
    private final boolean verifiesAlways;
    private volatile boolean recovered;

    /** Set while a lost disk is being returned, which may hang. */
    private final AtomicBoolean returning = new AtomicBoolean();

    private BlockStore(
            List<CacheDisk> disks,
            SharedStoreComponents parts,
            DiskWatchdog watch,
            DiskOpener opener,
            boolean verifiesAlways) {
        this.disks = disks;
        this.parts = parts;
        this.opener = opener;
        this.verifiesAlways = verifiesAlways;
        this.watch = watch;
        this.epochRecords = new StaleEpochRecorder(
                opener.registry(),
                () -> disks.stream()
                        .filter(disk -> !disk.isLost())
                        .map(CacheDisk::superblock)
                        .toList());
        disks.forEach(CacheDisk::start);
        if (!disks.isEmpty()) {
            watch.start();
        }
        parts.groups().partsOf(this::limit);
    }

    /**
     * Opens the disks of the settings. Their content is found after {@link #recover} has read it.
     *
     * @param memory folder of the disk registry
     * @throws IOException if a disk cannot be used; the message says which, why, and what to do
     */
    public static BlockStore open(
            CacheSettings settings, Path memory, EvictionPolicy policy, CacheEventListener recorder)
            throws IOException {
        return open(settings, memory, policy, ResidencyGroups::none, recorder);
    }

    /**
     * Opens a store that counts residency by group.
     *
     * @param counted makes the groups from the hash of the store
     */
    public static BlockStore open(
            CacheSettings settings,
            Path memory,
            EvictionPolicy policy,
            Function<FingerprintHash, ResidencyGroups> counted,
            CacheEventListener recorder)
            throws IOException {
        OpenDiskFolders folders = OpenDiskFolders.open(settings.disks(), memory);
        try {
            AtomicInteger numbers = new AtomicInteger();
            ResidencyGroups groups = counted.apply(folders.hash());
            SharedStoreComponents parts = new SharedStoreComponents(
                    folders.hash(),
                    new BlockIndex(settings.indexMemory().bytes(), groups),
                    new SegmentTable(),
                    numbers,
                    policy,
                    new ShadowCaches(
                            settings.disks().stream()
                                    .mapToLong(disk -> disk.size().bytes())
                                    .sum(),
                            settings.blockSize().bytes()),
                    groups,
                    new PinnedRecordFilter(),
                    new PageCacheEstimate(PageCacheSize.bytes() / 2),
                    recorder);
            Map<CacheDisk, List<ExistingSegmentFile>> found = new TreeMap<>(Comparator.comparing(CacheDisk::path));
            List<CacheDisk> disks = new CopyOnWriteArrayList<>();
            PauseAwareClock clock = new PauseAwareClock();
            NonBlockingDiskAccess eventLoopReads = new NonBlockingDiskAccess(clock);
            List<List<Path>> files = new ArrayList<>();
            for (LockedDiskFolder folder : folders.folders()) {
                files.add(folder.segmentFiles());
            }
            files.forEach(ofDisk -> numbers.accumulateAndGet(ExistingSegmentFile.highest(ofDisk), Math::max));
            Set<Integer> taken = ExistingSegmentFile.noneTaken();
            DiskOpener opener = new DiskOpener(settings, folders, parts, clock, eventLoopReads);
            for (int i = 0; i < settings.disks().size(); i++) {
                CacheDisk opened = opener.atStart(i);
                disks.add(opened);
                found.put(opened, ExistingSegmentFile.of(files.get(i), taken, numbers));
            }
            found.forEach(CacheDisk::expect);
            return new BlockStore(
                    disks,
                    parts,
                    new DiskWatchdog(clock, eventLoopReads, disks),
                    opener,
                    settings.verify() == Verification.ALWAYS);
        } catch (IOException | RuntimeException e) {
            folders.close();
            throw e;
        }
    }

    /**
     * Sets which blocks survive eviction: those whose identity matches, up to half of each disk. The disks' writers
     * call the predicate.
     *
     * @param what takes the identity of a block
     */
    public void keep(Predicate<ByteBuffer> what) {
        parts.pins().set(what);
    }

    /** Ends pinning: eviction goes by frequency alone. */
    public void keepNothing() {
        parts.pins().set(null);
    }

    /**
     * Reads what earlier runs left into the index, all disks in parallel; blocks. Blocks that are not read yet are
     * misses. Ends early when the store is closed; the next start reads the rest.
     */
    public void recover() {
        List<CacheDisk> atStart = List.copyOf(disks);
        Map<CacheDisk, DiskRecovery> recoveries = new LinkedHashMap<>();
        atStart.forEach(disk -> recoveries.put(disk, disk.recovery()));
        try {
            parts.index()
                    .expect(ofEach(recoveries, DiskRecovery::open).stream()
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
        if (recoveries.values().stream().noneMatch(DiskRecovery::hasEndedEarly)) {
            // All disks at once: eviction compares what is on all of them.
            atStart.forEach(CacheDisk::recovered);
            recovered = true;
        }
    }

    /** Runs a step on all disks in parallel, and waits for all of them. */
    private static <T> List<T> ofEach(Map<CacheDisk, DiskRecovery> recoveries, Function<DiskRecovery, T> step) {
        List<CompletableFuture<T>> running = new ArrayList<>();
        recoveries.forEach((disk, recovery) ->
                running.add(CompletableFuture.supplyAsync(() -> step.apply(recovery), task -> {
                    Thread thread = new Thread(task, "recovery-" + disk.path().getFileName());
                    thread.setDaemon(true);
                    thread.start();
                })));
        CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
        return running.stream().map(CompletableFuture::join).toList();
    }

    /** Returns whether everything on the disks has been read into the index. */
    public boolean isRecovered() {
        return recovered;
    }

    /** Returns the keyed hash that makes this store's fingerprints. */
    public FingerprintHash hash() {
        return parts.hash();
    }

    /** Returns the number of this run, one more than that of the last. */
    public long run() {
        return opener.run();
    }

    /** Returns the stale epoch that this run begins with. */
    public long staleAtStart() {
        return opener.staleAtStart();
    }

    /** Returns what records the stale epoch: in the disk registry and on each disk. */
    public StaleEpoch.Recorder epochRecords() {
        return epochRecords;
    }

    /** Returns a block to read, or null. The caller closes it. */
    public @Nullable StoredBlock find(Fingerprint key) {
        // The segment may be removed between the lookup and the acquire; then its entry is gone, too.
        for (int i = 0; i < 3; i++) {
            IndexEntry entry = parts.index().find(key);
            if (entry == null) {
                return null;
            }
            Segment segment = parts.segments().get(entry.segment());
            if (segment != null && segment.reads().areBypassed()) {
                return null;
            }
            if (segment != null && segment.acquire()) {
                return new StoredBlock(key, entry, segment, parts);
            }
            // Segment numbers are never reused: an entry of a segment that is gone is useless.
            boolean unused = parts.index().remove(key, entry.place());
        }
        return null;
    }

    /**
     * Removes a block from the index. Its record stays on the disk, so the next start may find it again.
     *
     * @return bytes of its body; 0 if there was none
     */
    public int drop(Fingerprint key) {
        IndexEntry entry = parts.index().find(key);
        return entry != null && parts.index().remove(key, entry.place()) ? entry.bodyBytes() : 0;
    }

    /** Returns whether a block can be found at this moment; it may be evicted in the next. */
    public boolean contains(Fingerprint key) {
        IndexEntry entry = parts.index().find(key);
        Segment segment = entry == null ? null : parts.segments().get(entry.segment());
        return segment != null && !segment.reads().areBypassed();
    }

    /** Returns the folder of the disk that has a block but is bypassed; empty if there is none. */
    public Optional<Path> outOfReach(Fingerprint key) {
        IndexEntry entry = parts.index().find(key);
        Segment segment = entry == null ? null : parts.segments().get(entry.segment());
        return segment != null && segment.reads().areBypassed()
                ? Optional.of(segment.path().resolveSibling(""))
                : Optional.empty();
    }

    /** Counts a read of a block that is not cached. */
    public void missed(Fingerprint key, int bytes) {
        parts.policy().used(key);
        parts.shadowCaches().read(key, bytes);
    }

    /**
     * Returns the hit ratio that the cache would have at one of the {@link ShadowCaches#SIZES}; empty if too few reads
     * were seen.
     */
    public OptionalDouble hitRatioAt(int size) {
        return parts.shadowCaches().hitRatio(size);
    }

    /**
     * Returns whether a block is worth writing: it is pinned, or worth more than what eviction would remove for it.
     *
     * @param key of the block in the draft
     */
    public boolean admits(Fingerprint key, BlockDraft draft) {
        CacheDisk disk = leastLoaded();
        if (disk == null) {
            return false;
        }
        Space onDisk = disk.space(RecordHeader.recordBytes(draft));
        boolean admitted = parts.policy().admits(key, scarcer(onDisk, inIndex()), parts.index())
                && parts.groups().admit(key, draft.identity(), draft.bodyBytes(), parts.index());
        return admitted || parts.pins().have(draft.identity().duplicate());
    }

    /** Small blocks fill the index before the disks; segments are evicted for that, too. */
    private Space inIndex() {
        double fullness = parts.index().fullness();
        if (fullness < INDEX_FREE) {
            return Space.FREE;
        }
        return fullness < INDEX_LEFT ? Space.LEFT : Space.NONE;
    }

    private static Space scarcer(Space one, Space other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** Returns whether any disk accepts blocks at all. */
    public boolean takesWrites() {
        return leastLoaded() != null;
    }

    /**
     * Writes a block to the disk with the most room and the shortest queue.
     *
     * @param outcome called once, even if no disk accepts the block; the draft's body must not change before that
     */
    public void write(BlockDraft draft, WriteCallback outcome) {
        CacheDisk disk = leastLoaded();
        if (disk == null) {
            parts.recorder().notStored(draft.bodyBytes());
            outcome.written(false);
            return;
        }
        disk.write(draft, outcome);
    }

    /** Returns what is cached of each group. */
    public List<GroupResidency> groups() {
        return parts.groups().states();
    }

    /**
     * Returns what is cached of one group.
     *
     * @param at its place among {@link #groups()}
     */
    public GroupResidency group(int at) {
        return parts.groups().state(at);
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
        return disks.stream()
                .filter(disk -> !disk.isLost())
                .mapToLong(CacheDisk::limit)
                .sum();
    }

    /** Returns the states of the disks, in the order of the settings. */
    public List<DiskState> states() {
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
    public void takeBack(int number) throws IOException {
        if (!returning.compareAndSet(false, true)) {
            throw new IOException("a disk is being returned already: try again after that has ended");
        }
        try {
            takeBackNow(number);
        } finally {
            returning.set(false);
        }
    }

    private void takeBackNow(int number) throws IOException {
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
        DiskOpener.Returned returned = opener.again(number, lost.path(), others);
        CacheDisk disk = returned.disk();
        disk.expect(returned.files());
        disk.start();
        disks.set(number, disk);
        DiskRecovery recovery = disk.recovery();
        try {
            long unused = recovery.open();
            recovery.read();
        } finally {
            disk.recovered();
        }
    }

    /** Returns the recent read latencies of each disk, in the order of the settings. */
    public List<LatencyWindow> paces() {
        return disks.stream().map(CacheDisk::pace).toList();
    }

    /** Returns whether every read is verified against its checksums. */
    public boolean verifiesAlways() {
        return verifiesAlways;
    }

    /** Returns the number of blocks that can be found. */
    public long records() {
        return parts.index().size();
    }

    /** Returns the bytes of the index. */
    public long indexMemory() {
        return parts.index().memory();
    }

    /**
     * Records a clean shutdown; to be called after the metadata store is closed and before {@link #close}.
     *
     * @throws IOException if that cannot be written: the next start then treats everything as after a power loss
     */
    public void stopped() throws IOException {
        opener.registry().stopped();
    }

    /** Writes what is queued, and releases the disks. The store must not be used during or after it. */
    @Override
    public void close() {
        // In parallel, because a disk that hangs takes some seconds.
        List<Thread> closing = disks.stream().map(BlockStore::closing).toList();
        try {
            for (Thread each : closing) {
                each.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        opener.registry().end();
        watch.close();
    }

    private static Thread closing(CacheDisk disk) {
        Thread thread = new Thread(disk::close, CacheDisk.name(disk.path()) + "-close");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Returns the disk with the most room and the shortest queue; null if none accepts writes. */
    private @Nullable CacheDisk leastLoaded() {
        return disks.stream()
                .filter(CacheDisk::takesBlocks)
                .min(Comparator.comparingDouble(BlockStore::load))
                .orElse(null);
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
