package io.millrace.cache.disk;

import io.millrace.cache.CacheRecorder;
import io.millrace.cache.CacheSettings;
import io.millrace.cache.DiskState;
import io.millrace.cache.Pace;
import io.millrace.cache.Verification;
import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.eviction.EvictionPolicy.Space;
import io.millrace.cache.eviction.GhostCaches;
import io.millrace.cache.group.GroupState;
import io.millrace.cache.group.Groups;
import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.Index;
import io.millrace.cache.index.Kind;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records on all disks of the cache. One process has them at a time. Finding is a look into memory; writing is handed to the
 * disk's own thread. Safe for use by any number of threads.
 */
public final class RecordStore implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RecordStore.class);

    /** A full disk whose open segment has room is taken before others that are full, unless 3 MiB more wait for it. */
    private static final double LOAD_LEFT = 3.0 / 64;

    /** Of the entries that the index had room for when it was full: so many are what a few segments that went have left. */
    private static final double INDEX_FREE = 0.8;

    /** The same: with more a segment is about to go. */
    private static final double INDEX_LEFT = 0.97;

    /** For its tests too. */
    final StoreParts parts;

    private final List<Disk> disks;
    private final FingerprintHash hash;
    private final AtomicLong sequence;
    private final List<Disk> atStart;

    /** The last segment of earlier runs. */
    private final int lastFound;

    private final boolean hadInvalidations;

    /** Heads, object records and tombstones that are not written yet: how many of a key. */
    private final ConcurrentMap<Fingerprint, Integer> pending = new ConcurrentHashMap<>();

    /** Heads that could not be replaced or taken out while old records were still being found: what is older is not found. */
    private final ConcurrentMap<Fingerprint, Long> lost = new ConcurrentHashMap<>();

    private final Newest newest;
    private final Horizon horizon;
    private final DiskWatch watch;
    private final Disks opener;
    private final RecoveryEnd recoveryEnd;
    private final boolean verifiesAlways;
    private final Recount recount;
    private final HeadScan scan;
    private volatile boolean recovered;

    /** Whether a disk is being taken back, which may hang. */
    private final AtomicBoolean returning = new AtomicBoolean();

    private RecordStore(
            List<Disk> disks,
            StoreParts parts,
            FingerprintHash hash,
            long firstSequence,
            int lastFound,
            boolean hadInvalidations,
            DiskWatch watch,
            Disks opener,
            boolean verifiesAlways) {
        this.disks = disks;
        this.parts = parts;
        this.hash = hash;
        this.sequence = new AtomicLong(firstSequence);
        this.atStart = List.copyOf(disks);
        this.lastFound = lastFound;
        this.hadInvalidations = hadInvalidations;
        this.newest = new Newest(parts);
        this.scan = new HeadScan(parts);
        this.horizon = new Horizon(disks.size());
        this.opener = opener;
        this.recoveryEnd = new RecoveryEnd(opener.known(), atStart, pending.keySet());
        this.verifiesAlways = verifiesAlways;
        this.watch = watch;
        disks.forEach(disk -> disk.start(this::doubtEarlier));
        if (!disks.isEmpty()) {
            watch.start();
        }
        this.recount = new Recount(parts, lastFound);
        parts.groups().partsOf(this::room);
    }

    /**
     * Opens the disks of the settings. What is on them is known once {@link #recover} has read it.
     *
     * @param memory a folder that remembers which disks there were
     * @throws IOException if a disk cannot be used; the message says which, why, and what to do
     */
    public static RecordStore open(CacheSettings settings, Path memory, EvictionPolicy policy, CacheRecorder recorder)
            throws IOException {
        return open(settings, memory, policy, Groups::none, recorder);
    }

    /**
     * The same of a store that counts.
     *
     * @param counted what, with the hash of the store
     */
    public static RecordStore open(
            CacheSettings settings,
            Path memory,
            EvictionPolicy policy,
            Function<FingerprintHash, Groups> counted,
            CacheRecorder recorder)
            throws IOException {
        OpenFolders folders = OpenFolders.open(settings.disks(), memory);
        try {
            AtomicInteger numbers = new AtomicInteger();
            Groups groups = counted.apply(folders.hash());
            StoreParts parts = new StoreParts(
                    folders.hash(),
                    new Index(settings.indexMemory().bytes(), groups),
                    new SegmentTable(),
                    numbers,
                    policy,
                    new GhostCaches(
                            settings.disks().stream()
                                    .mapToLong(disk -> disk.size().bytes())
                                    .sum(),
                            settings.blockSize().bytes()),
                    groups,
                    new KeptRecords(),
                    new LikelyInMemory(FileMemory.bytes() / 2),
                    recorder);
            Map<Disk, List<FoundSegment>> found = new TreeMap<>(Comparator.comparing(Disk::path));
            List<Disk> disks = new CopyOnWriteArrayList<>();
            FairClock clock = new FairClock();
            Glances glances = new Glances(clock);
            List<List<Path>> files = new ArrayList<>();
            for (DiskFolder folder : folders.folders()) {
                files.add(folder.segmentFiles());
            }
            files.forEach(ofDisk -> numbers.accumulateAndGet(FoundSegment.highest(ofDisk), Math::max));
            Set<Integer> taken = FoundSegment.noneTaken();
            Disks opener = new Disks(settings, folders, parts, clock, glances);
            for (int i = 0; i < settings.disks().size(); i++) {
                Disk opened = opener.atStart(i);
                disks.add(opened);
                found.put(opened, FoundSegment.of(files.get(i), taken, numbers));
            }
            found.forEach(Disk::expect);
            int lastFound = numbers.get();
            long firstSequence = DiskMarker.firstSequence(folders.epoch());
            return new RecordStore(
                    disks,
                    parts,
                    folders.hash(),
                    firstSequence,
                    lastFound,
                    folders.known().hadInvalidations(),
                    new DiskWatch(clock, glances, disks),
                    opener,
                    settings.verify() == Verification.ALWAYS);
        } catch (IOException | RuntimeException e) {
            folders.close();
            throw e;
        }
    }

    /**
     * From now on records stay when a segment goes, if {@code what} takes the head part of theirs; as many as half of each disk
     * holds. It is asked by the disks' writers.
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
        Map<Disk, Recovery> recoveries = new LinkedHashMap<>();
        atStart.forEach(disk -> recoveries.put(disk, disk.recovery(horizon)));
        try {
            parts.index()
                    .expect(ofEach(recoveries, Recovery::open).stream()
                            .mapToLong(Long::longValue)
                            .sum());
            ofEach(recoveries, recovery -> {
                recovery.read();
                return true;
            });
        } catch (RuntimeException e) {
            log.error("Not all could be read that earlier runs left: its heads are asked for once", e);
            boolean unused = doubtEarlier();
        }
        if (recoveries.values().stream().noneMatch(Recovery::hasEndedEarly)) {
            allIsKnown();
        }
    }

    private void allIsKnown() {
        // Not one of them before all are: what one lets go may hide heads on others.
        atStart.forEach(Disk::recovered);
        lost.forEach(newest::supersede);
        recovered = true;
        lost.forEach(newest::supersede);
        recount.start();
        recoveryEnd.allIsKnown();
    }

    /** Takes a step of all disks at once, and waits for all of them. */
    private static <T> List<T> ofEach(Map<Disk, Recovery> recoveries, Function<Recovery, T> step) {
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

    /** Whoever replaced or took out a head of an earlier run may be what is lost. A disk decides about a key, but not for ever. */
    private boolean doubtEarlier() {
        boolean written = true;
        for (Disk disk : disks) {
            written &= disk.doubtEarlier();
        }
        return written;
    }

    /** Whether all that is on the disks is known. */
    public boolean isRecovered() {
        return recovered;
    }

    /** Whether invalidations were remembered beside these disks in an earlier start: where they are missing, they were lost. */
    public boolean hadInvalidations() {
        return hadInvalidations;
    }

    /** The hash that makes this store's fingerprints. */
    public FingerprintHash hash() {
        return hash;
    }

    /** A sequence number higher than all before. */
    public long nextSequence() {
        return sequence.incrementAndGet();
    }

    /** A record to read, or null, also while what replaces it is being written. The caller closes it. */
    public @Nullable StoredRecord find(Fingerprint key) {
        if (pending.containsKey(key)) {
            return null;
        }
        // The segment may go between the look at the index and the hold of it; then the entry has gone too.
        for (int i = 0; i < 3; i++) {
            // Before the look at the index: what is read between the two is not what may replace it.
            long unread = horizon.highest();
            Entry entry = parts.index().find(key);
            if (entry == null || entry.kind() == Kind.TOMBSTONE || isLost(key)) {
                return null;
            }
            Segment segment = parts.segments().get(entry.segment());
            if (segment != null && segment.home().reads().areBypassed()) {
                return null;
            }
            if (segment != null && segment.acquire()) {
                return new StoredRecord(key, entry, segment, parts, isOfThisRun(entry) ? 0 : unread);
            }
            // Numbers are never used twice: an entry that leads to a segment that is gone is of no use.
            parts.index().remove(key, entry.place());
        }
        return null;
    }

    /**
     * Reads some of the heads on the disks, on a thread of theirs. A head that cannot be read is left out.
     *
     * @param most how many
     * @return fails with a {@link DiskUnavailableException} where a disk stands still, or does so already, and where
     *     the list of a segment cannot be read; whoever does not want it any
     *     more cancels it, and it ends at once
     */
    public CompletableFuture<ScanPiece> scan(ScanPosition from, int most) {
        return scan.piece(from, most);
    }

    /** How much of the disks lies before a position of a scan, 0 to 1: by segments. */
    public double scanned(ScanPosition position) {
        return scan.before(position);
    }

    /**
     * Takes a record out of what is found, without a trace on the disk: after a start it may be found again.
     *
     * @return bytes of its body; 0 if there was none
     */
    public int drop(Fingerprint key) {
        Entry entry = parts.index().find(key);
        return entry != null && parts.index().remove(key, entry.place()) ? entry.bodyBytes() : 0;
    }

    /**
     * Whether there is something under this fingerprint, or will be; no promise. A head on a disk that is bypassed is there, since it
     * may be found again; a block is not.
     */
    public boolean contains(Fingerprint key) {
        if (pending.containsKey(key)) {
            return true;
        }
        Entry entry = parts.index().find(key);
        return entry != null && entry.kind() != Kind.TOMBSTONE && (entry.kind() != Kind.BLOCK || isReadable(entry));
    }

    /** The folder of the disk that is bypassed and has what is under this fingerprint; empty if none has. */
    public Optional<Path> outOfReach(Fingerprint key) {
        Entry entry = parts.index().find(key);
        Segment segment = entry == null || entry.kind() == Kind.TOMBSTONE
                ? null
                : parts.segments().get(entry.segment());
        return segment != null && segment.home().reads().areBypassed()
                ? Optional.of(segment.path().resolveSibling(""))
                : Optional.empty();
    }

    private boolean isReadable(Entry entry) {
        Segment segment = parts.segments().get(entry.segment());
        return segment != null && !segment.home().reads().areBypassed();
    }

    /** Counts a read of a block that is not here. */
    public void missed(Fingerprint key, int bytes) {
        parts.policy().used(key);
        parts.ghosts().read(key, bytes);
    }

    /** What part of the reads would be hits at one of the {@link GhostCaches#SIZES}; empty if too few were seen. */
    public OptionalDouble hitRatioAt(int size) {
        return parts.ghosts().hitRatio(size);
    }

    /**
     * Whether a record should be written at all, or what is here is worth more. What somebody wants to keep is.
     *
     * @param key of the block that it holds
     */
    public boolean admits(Fingerprint key, RecordDraft draft) {
        Disk disk = leastLoaded();
        if (disk == null) {
            return false;
        }
        Space onDisk = disk.space(RecordHeader.of(draft, 0, 0, 0).recordBytes());
        boolean admitted = parts.policy().admits(key, scarcer(onDisk, inIndex()), parts.index())
                && parts.groups().admit(key, draft.headPart(), draft.bodyBytes(), parts.index());
        return admitted || parts.kept().have(draft.headPart().duplicate());
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
     * Writes a record. Records that replace each other are found in the order of their sequence numbers.
     *
     * @param outcome told once, also if no disk takes it; the draft's body must stay as it is until then
     */
    public void write(RecordDraft draft, Outcome outcome) {
        write(draft, () -> true, outcome);
    }

    /**
     * The same for what may have become old when it is on the disk.
     *
     * @param counts asked behind the writing and before it is found: whether it still tells how things are. If not, it is
     *     taken out again
     */
    public void write(RecordDraft draft, BooleanSupplier counts, Outcome outcome) {
        if (disks.isEmpty() || !draft.kind().isReplaceable()) {
            write(leastLoaded(), draft, outcome);
            return;
        }
        pending.merge(draft.key(), 1, Integer::sum);
        boolean known = recovered;
        Disk home = home(draft.key());
        List<Disk> holders = known ? List.of(home) : atStart;
        if (!home.takesWrites()) {
            refuse(draft, holders, outcome);
            return;
        }
        home.write(draft, stored -> {
            boolean doubtful = !stored && isDoubtfulWithout(draft);
            if (stored && !counts.getAsBoolean()) {
                takeOut(draft.key());
            }
            isPendingNoMore(draft.key());
            tell(holders, draft, outcome, stored, doubtful);
        });
    }

    /** On the caller's thread, which may be an event loop's: no disk is read. */
    private void refuse(RecordDraft draft, List<Disk> holders, Outcome outcome) {
        parts.recorder().notStored(draft.bodyBytes());
        noteLost(draft);
        // What is being written, on whichever disk, would be found after a kill.
        boolean underWay = pending.getOrDefault(draft.key(), 0) > 1;
        boolean doubtful = newest.takeOut(draft.key()) || !recovered || underWay;
        isPendingNoMore(draft.key());
        tell(underWay ? List.copyOf(disks) : holders, draft, outcome, false, doubtful);
    }

    private void isPendingNoMore(Fingerprint key) {
        pending.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
    }

    /**
     * Whoever took something out must not go on before that is sure; others are not kept waiting.
     *
     * @param holders what the record should have replaced lies on one of them
     */
    private static void tell(List<Disk> holders, RecordDraft draft, Outcome outcome, boolean stored, boolean doubtful) {
        boolean waits = doubtful && draft.kind() == Kind.TOMBSTONE;
        if (doubtful) {
            doubtAfterNextStart(holders, waits ? () -> outcome.written(stored) : () -> {});
        }
        if (!waits) {
            outcome.written(stored);
        }
    }

    private static void doubtAfterNextStart(List<Disk> holders, Runnable then) {
        AtomicInteger open = new AtomicInteger(holders.size());
        holders.forEach(disk -> disk.doubtAfterNextStart(() -> {
            if (open.decrementAndGet() == 0) {
                then.run();
            }
        }));
    }

    private void takeOut(Fingerprint key) {
        RecordDraft tombstone = new RecordDraft(
                Kind.TOMBSTONE, nextSequence(), key, Fingerprint.NONE, 0, ByteBuffer.allocate(0), List.of());
        write(tombstone, stored -> {});
    }

    /**
     * What is found under this fingerprint after a start must be asked for before it is used, whatever becomes of the records
     * that are being written now.
     *
     * @param then called when that is sure, or could not be written; perhaps at once, perhaps by another thread
     */
    public void distrust(Fingerprint key, Runnable then) {
        if (disks.isEmpty()) {
            then.run();
        } else {
            boolean known = recovered;
            doubtAfterNextStart(known ? List.of(home(key)) : atStart, then);
        }
    }

    private void write(@Nullable Disk disk, RecordDraft draft, Outcome outcome) {
        if (disk == null) {
            parts.recorder().notStored(draft.bodyBytes());
            outcome.written(false);
            return;
        }
        disk.write(draft, outcome);
    }

    /**
     * What a record should have replaced does not count any more, though it lies on the disk.
     *
     * @return whether there is such a thing, or may be
     */
    private boolean isDoubtfulWithout(RecordDraft draft) {
        noteLost(draft);
        return newest.supersede(draft.key(), draft.sequence()) || !recovered;
    }

    /** What recovery finds of it is older. */
    private void noteLost(RecordDraft draft) {
        if (!recovered) {
            lost.merge(draft.key(), draft.sequence(), Math::max);
        }
    }

    /** What is cached of each group. */
    public List<GroupState> groups() {
        return parts.groups().states();
    }

    /** The same of one of them. */
    public GroupState group(int at) {
        return parts.groups().state(at);
    }

    /** Whether {@link #groups} tells all there is: not as long as something of earlier runs is still being read or counted. */
    public boolean isCounted() {
        return recovered && recount.isDone();
    }

    /** Bytes that segments take, on all disks. */
    public long used() {
        return disks.stream().mapToLong(Disk::used).sum();
    }

    /** Bytes that they may take as the settings have it. */
    public long capacity() {
        return disks.stream().mapToLong(Disk::capacity).sum();
    }

    /** Bytes that they may take now: less where file systems have less, and nothing of a disk that is lost. */
    public long room() {
        return disks.stream()
                .filter(disk -> !disk.isLost())
                .mapToLong(Disk::room)
                .sum();
    }

    /** The disks, in the order of the settings. */
    public List<DiskState> states() {
        return disks.stream().map(Disk::state).toList();
    }

    /**
     * What of a disk can be looked at, whether or not anybody reads it.
     *
     * @param disk its number in the order of the settings, from 0
     */
    public DiskChecks checks(int disk) {
        return disks.get(disk).checks(bad -> {
            if (bad.isHead()) {
                // What it replaced may lie somewhere still.
                takeOut(bad.key());
            }
        });
    }

    /**
     * Takes a disk back that was lost and is there again: an operator's word. Its heads are doubtful. Blocks until all that lies on it
     * is known. Not before {@link #isRecovered}: nothing may go before all is known.
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
        Disk lost = disks.get(number);
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
        List<Disk> others = disks.stream().filter(disk -> !disk.isLost()).toList();
        Disks.Returned returned = opener.again(number, lost.path(), others, nextSequence());
        Disk disk = returned.disk();
        disk.expect(returned.files());
        disk.start(this::doubtEarlier);
        disks.set(number, disk);
        Recovery recovery = disk.recovery(new Horizon(1));
        try {
            long unused = recovery.open();
            recovery.read();
        } finally {
            disk.recovered();
        }
        recount.start();
    }

    /** How long readers of each disk have waited lately, in the order of the settings. */
    public List<Pace> paces() {
        return disks.stream().map(Disk::pace).toList();
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

    /** Writes what waits, and gives the disks back. Nothing may be asked of the store during or after it. */
    @Override
    public void close() {
        recount.stop();
        recoveryEnd.close();
        // Each for itself: one that hangs takes some seconds.
        List<Thread> closing = disks.stream().map(RecordStore::closing).toList();
        try {
            for (Thread each : closing) {
                each.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        opener.known().end();
        watch.close();
    }

    private static Thread closing(Disk disk) {
        Thread thread = new Thread(disk::close, Disk.name(disk.path()) + "-close");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private boolean isOfThisRun(Entry entry) {
        return entry.segment() > lastFound;
    }

    /** Whether what is found of a head should have been replaced, and was not yet taken out. */
    private boolean isLost(Fingerprint key) {
        return !recovered && lost.containsKey(key);
    }

    /** The disk for a block: where there is most room and least to do. Null if none takes writes. */
    private @Nullable Disk leastLoaded() {
        return disks.stream()
                .filter(Disk::takesBlocks)
                .min(Comparator.comparingDouble(RecordStore::load))
                .orElse(null);
    }

    /**
     * The disk for what replaces other records of its key: where the last one is, so that all of a key lie on one disk in the
     * order of their numbers, and the newest leaves last.
     */
    private Disk home(Fingerprint key) {
        Entry there = parts.index().find(key);
        Segment segment = there == null ? null : parts.segments().get(there.segment());
        for (Disk disk : disks) {
            if (segment != null && disk.has(segment)) {
                return disk;
            }
        }
        // A disk that takes nothing is nobody's home but of what it holds.
        int first = (int) Long.remainderUnsigned(key.low(), disks.size());
        for (int i = 0; recovered && i < disks.size(); i++) {
            Disk disk = disks.get((first + i) % disks.size());
            if (disk.takesWrites()) {
                return disk;
            }
        }
        return disks.get(first);
    }

    /** How full a disk is, what waits for it included; full ones count alike whatever their size, but for what eviction left. */
    private static double load(Disk disk) {
        double full = Math.min(1, (double) disk.used() / Math.max(1, disk.room()));
        double left = disk.space(0) == Space.LEFT ? LOAD_LEFT : 0;
        return full - left + (double) disk.queued() / (64 << 20);
    }
}
