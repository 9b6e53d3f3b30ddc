package io.millrace.cache.disk;

import io.millrace.cache.disk.folder.EpochRecords;
import io.millrace.cache.disk.folder.LockedDiskFolder;
import io.millrace.cache.disk.folder.OpenDiskFolders;
import io.millrace.cache.disk.io.NonBlockingDiskAccess;
import io.millrace.cache.disk.io.PageCacheSize;
import io.millrace.cache.disk.io.PauseAwareClock;
import io.millrace.cache.disk.segment.BlockDraft;
import io.millrace.cache.disk.segment.ExistingSegmentFile;
import io.millrace.cache.disk.segment.PageCacheEstimate;
import io.millrace.cache.disk.segment.RecordHeader;
import io.millrace.cache.disk.segment.Segment;
import io.millrace.cache.disk.segment.SegmentTable;
import io.millrace.cache.disk.space.PinnedRecords;
import io.millrace.cache.disk.space.SharedStoreState;
import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.eviction.EvictionPolicy.Space;
import io.millrace.cache.eviction.ShadowCaches;
import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.metadata.StaleEpoch;
import io.millrace.cache.monitor.CacheRecorder;
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
 * Records on all disks of the cache. One process has them at a time. Finding is a look into memory; writing is handed to the
 * disk's own thread. Safe for use by any number of threads.
 */
public final class BlockStore implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BlockStore.class);

    /** A full disk whose open segment has room is taken before others that are full, unless 3 MiB more wait for it. */
    private static final double LOAD_LEFT = 3.0 / 64;

    /** Of the entries that the index had room for when it was full: so many are what a few segments that went have left. */
    private static final double INDEX_FREE = 0.8;

    /** The same: with more a segment is about to go. */
    private static final double INDEX_LEFT = 0.97;

    /** For its tests too. */
    final SharedStoreState parts;

    private final List<CacheDisk> disks;
    private final DiskWatchdog watch;
    private final DiskOpener opener;
    private final EpochRecords epochRecords;
    private final boolean verifiesAlways;
    private volatile boolean recovered;

    /** Whether a disk is being taken back, which may hang. */
    private final AtomicBoolean returning = new AtomicBoolean();

    private BlockStore(
            List<CacheDisk> disks,
            SharedStoreState parts,
            DiskWatchdog watch,
            DiskOpener opener,
            boolean verifiesAlways) {
        this.disks = disks;
        this.parts = parts;
        this.opener = opener;
        this.verifiesAlways = verifiesAlways;
        this.watch = watch;
        this.epochRecords = new EpochRecords(
                opener.registry(),
                () -> disks.stream()
                        .filter(disk -> !disk.isLost())
                        .map(CacheDisk::superblock)
                        .toList());
        disks.forEach(CacheDisk::start);
        if (!disks.isEmpty()) {
            watch.start();
        }
        parts.groups().partsOf(this::room);
    }

    /**
     * Opens the disks of the settings. What is on them is known once {@link #recover} has read it.
     *
     * @param memory a folder that remembers which disks there were
     * @throws IOException if a disk cannot be used; the message says which, why, and what to do
     */
    public static BlockStore open(CacheSettings settings, Path memory, EvictionPolicy policy, CacheRecorder recorder)
            throws IOException {
        return open(settings, memory, policy, ResidencyGroups::none, recorder);
    }

    /**
     * The same of a store that counts.
     *
     * @param counted what, with the hash of the store
     */
    public static BlockStore open(
            CacheSettings settings,
            Path memory,
            EvictionPolicy policy,
            Function<FingerprintHash, ResidencyGroups> counted,
            CacheRecorder recorder)
            throws IOException {
        OpenDiskFolders folders = OpenDiskFolders.open(settings.disks(), memory);
        try {
            AtomicInteger numbers = new AtomicInteger();
            ResidencyGroups groups = counted.apply(folders.hash());
            SharedStoreState parts = new SharedStoreState(
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
                    new PinnedRecords(),
                    new PageCacheEstimate(PageCacheSize.bytes() / 2),
                    recorder);
            Map<CacheDisk, List<ExistingSegmentFile>> found = new TreeMap<>(Comparator.comparing(CacheDisk::path));
            List<CacheDisk> disks = new CopyOnWriteArrayList<>();
            PauseAwareClock clock = new PauseAwareClock();
            NonBlockingDiskAccess glances = new NonBlockingDiskAccess(clock);
            List<List<Path>> files = new ArrayList<>();
            for (LockedDiskFolder folder : folders.folders()) {
                files.add(folder.segmentFiles());
            }
            files.forEach(ofDisk -> numbers.accumulateAndGet(ExistingSegmentFile.highest(ofDisk), Math::max));
            Set<Integer> taken = ExistingSegmentFile.noneTaken();
            DiskOpener opener = new DiskOpener(settings, folders, parts, clock, glances);
            for (int i = 0; i < settings.disks().size(); i++) {
                CacheDisk opened = opener.atStart(i);
                disks.add(opened);
                found.put(opened, ExistingSegmentFile.of(files.get(i), taken, numbers));
            }
            found.forEach(CacheDisk::expect);
            return new BlockStore(
                    disks,
                    parts,
                    new DiskWatchdog(clock, glances, disks),
                    opener,
                    settings.verify() == Verification.ALWAYS);
        } catch (IOException | RuntimeException e) {
            folders.close();
            throw e;
        }
    }

    /**
     * From now on blocks stay when a segment is evicted, if {@code what} takes their identity; as many as half of each disk holds. The
     * disks' writers ask it.
     */
    public void keep(Predicate<ByteBuffer> what) {
        parts.kept().set(what);
    }

    /** Nothing is kept that is not used. */
    public void keepNothing() {
        parts.kept().set(null);
    }

    /**
     * Reads what earlier runs left, all disks at once; blocks. Until it is done, what is not known yet is not found. Ends soon when
     * this is closed: what is left is for the next start.
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
            log.error("Not all could be read that earlier runs left: it is fetched again when it is wanted", e);
        }
        if (recoveries.values().stream().noneMatch(DiskRecovery::hasEndedEarly)) {
            // Not one of them before all are: eviction compares what lies on all of them.
            atStart.forEach(CacheDisk::recovered);
            recovered = true;
        }
    }

    /** Takes a step of all disks at once, and waits for all of them. */
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

    /** Whether all that is on the disks is known. */
    public boolean isRecovered() {
        return recovered;
    }

    /** The hash that makes this store's fingerprints. */
    public FingerprintHash hash() {
        return parts.hash();
    }

    /** The number of this run, one more than that of the last. */
    public long run() {
        return opener.run();
    }

    /** The stale epoch that this run begins with. */
    public long staleAtStart() {
        return opener.staleAtStart();
    }

    /** Where the stale epoch is recorded: beside the disks and on each of them. */
    public StaleEpoch.Recorder epochRecords() {
        return epochRecords;
    }

    /** A block to read, or null. The caller closes it. */
    public @Nullable StoredBlock find(Fingerprint key) {
        // The segment may go between the look at the index and the hold of it; then the entry has gone too.
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
            // Numbers are never used twice: an entry that leads to a segment that is gone is of no use.
            boolean unused = parts.index().remove(key, entry.place());
        }
        return null;
    }

    /**
     * Removes a block from what is found, without a trace on the disk: after a start it may be found again.
     *
     * @return bytes of it; 0 if there was none
     */
    public int drop(Fingerprint key) {
        IndexEntry entry = parts.index().find(key);
        return entry != null && parts.index().remove(key, entry.place()) ? entry.bodyBytes() : 0;
    }

    /** Whether a block can be found now; no promise. */
    public boolean contains(Fingerprint key) {
        IndexEntry entry = parts.index().find(key);
        Segment segment = entry == null ? null : parts.segments().get(entry.segment());
        return segment != null && !segment.reads().areBypassed();
    }

    /** The folder of the disk that is bypassed and has a block; empty if none has. */
    public Optional<Path> outOfReach(Fingerprint key) {
        IndexEntry entry = parts.index().find(key);
        Segment segment = entry == null ? null : parts.segments().get(entry.segment());
        return segment != null && segment.reads().areBypassed()
                ? Optional.of(segment.path().resolveSibling(""))
                : Optional.empty();
    }

    /** Counts a read of a block that is not here. */
    public void missed(Fingerprint key, int bytes) {
        parts.policy().used(key);
        parts.ghosts().read(key, bytes);
    }

    /** What part of the reads would be hits at one of the {@link ShadowCaches#SIZES}; empty if too few were seen. */
    public OptionalDouble hitRatioAt(int size) {
        return parts.ghosts().hitRatio(size);
    }

    /**
     * Whether a record should be written at all, or what is here is worth more. What somebody wants to keep is.
     *
     * @param key of the block that it holds
     */
    public boolean admits(Fingerprint key, BlockDraft draft) {
        CacheDisk disk = leastLoaded();
        if (disk == null) {
            return false;
        }
        Space onDisk = disk.space(RecordHeader.recordBytes(draft));
        boolean admitted = parts.policy().admits(key, scarcer(onDisk, inIndex()), parts.index())
                && parts.groups().admit(key, draft.identity(), draft.bodyBytes(), parts.index());
        return admitted || parts.kept().have(draft.identity().duplicate());
    }

    /** Small things fill the index before the disks: segments go for that too. */
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

    /** Whether any disk takes blocks, however much one is worth. */
    public boolean takesWrites() {
        return leastLoaded() != null;
    }

    /**
     * Writes a block to the disk where there is most room and least to do.
     *
     * @param outcome told once, also if no disk takes it; the draft's body must stay as it is until then
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

    /** What is cached of each group. */
    public List<GroupResidency> groups() {
        return parts.groups().states();
    }

    /** The same of one of them. */
    public GroupResidency group(int at) {
        return parts.groups().state(at);
    }

    /** Bytes that segments take, on all disks. */
    public long used() {
        return disks.stream().mapToLong(CacheDisk::used).sum();
    }

    /** Bytes that they may take as the settings have it. */
    public long capacity() {
        return disks.stream().mapToLong(CacheDisk::capacity).sum();
    }

    /** Bytes that they may take now: less where file systems have less, and nothing of a disk that is lost. */
    public long room() {
        return disks.stream()
                .filter(disk -> !disk.isLost())
                .mapToLong(CacheDisk::room)
                .sum();
    }

    /** The disks, in the order of the settings. */
    public List<DiskState> states() {
        return disks.stream().map(CacheDisk::state).toList();
    }

    /**
     * What of a disk can be looked at, whether or not anybody reads it.
     *
     * @param disk its number in the order of the settings, from 0
     */
    public DiskScrubAccess checks(int disk) {
        return disks.get(disk).checks();
    }

    /**
     * Takes a disk back that was lost and is there again, on an operator's word. Blocks until all that lies on it is known. Not before
     * {@link #isRecovered}.
     *
     * @param number in the order of the settings, from 0
     * @throws IOException if it cannot be used; the message says why, and what to do
     */
    public void takeBack(int number) throws IOException {
        if (!returning.compareAndSet(false, true)) {
            throw new IOException("another disk is being taken back, or the same: try again when that has ended");
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
            throw new IOException(
                    ("the cache folder %s cannot be taken back while what the others hold is still being read: try"
                                    + " again when 'millrace disks' shows none that is recovering")
                            .formatted(lost.path()));
        }
        lost.close();
        if (!lost.hasEnded()) {
            throw new IOException(
                    "a write to the cache folder %s hangs still: restart, or wait for it".formatted(lost.path()));
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

    /** How long readers of each disk have waited lately, in the order of the settings. */
    public List<LatencyWindow> paces() {
        return disks.stream().map(CacheDisk::pace).toList();
    }

    /** Whether bytes are compared with their checksums each time they are read. */
    public boolean verifiesAlways() {
        return verifiesAlways;
    }

    /** Records that can be found. */
    public long records() {
        return parts.index().size();
    }

    /** Bytes of the index. */
    public long indexMemory() {
        return parts.index().memory();
    }

    /**
     * Remembers that this run was stopped in order; to be called when the metadata store is closed, before {@link #close}.
     *
     * @throws IOException if that cannot be written: the next start finds all as after a power loss
     */
    public void stopped() throws IOException {
        opener.registry().stopped();
    }

    /** Writes what waits, and gives the disks back. Nothing may be asked of the store during or after it. */
    @Override
    public void close() {
        // Each for itself: one that hangs takes some seconds.
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

    /** The disk for a block: where there is most room and least to do. Null if none takes writes. */
    private @Nullable CacheDisk leastLoaded() {
        return disks.stream()
                .filter(CacheDisk::takesBlocks)
                .min(Comparator.comparingDouble(BlockStore::load))
                .orElse(null);
    }

    /** How full a disk is, what waits for it included; full ones count alike whatever their size, but for what eviction left. */
    private static double load(CacheDisk disk) {
        double full = Math.min(1, (double) disk.used() / Math.max(1, disk.room()));
        double left = disk.space(0) == Space.LEFT ? LOAD_LEFT : 0;
        return full - left + (double) disk.queued() / (64 << 20);
    }
}
