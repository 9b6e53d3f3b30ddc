package io.millrace.cache.disk;

import io.millrace.cache.CacheRecorder;
import io.millrace.cache.CacheSettings;
import io.millrace.cache.CacheSettings.DiskSettings;
import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.Index;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Records on all disks of the cache. One process has them at a time. Finding is a look into memory; writing is handed to the
 * disk's own thread. Safe for use by any number of threads.
 */
public final class RecordStore implements AutoCloseable {
    private final List<Disk> disks;
    private final StoreParts parts;
    private final FingerprintHash hash;
    private final AtomicLong sequence;
    private final Map<Disk, List<Path>> found;

    /** The last segment of earlier runs. */
    private final int lastFound;

    private volatile boolean recovered;

    private RecordStore(
            List<Disk> disks,
            StoreParts parts,
            FingerprintHash hash,
            long firstSequence,
            Map<Disk, List<Path>> found,
            int lastFound) {
        this.disks = disks;
        this.parts = parts;
        this.hash = hash;
        this.sequence = new AtomicLong(firstSequence);
        this.found = found;
        this.lastFound = lastFound;
    }

    /**
     * Opens the disks of the settings. What is on them is known once {@link #recover} has read it.
     *
     * @param memory a folder that remembers which disks there were
     * @throws IOException if a disk cannot be used; the message says which, why, and what to do
     */
    public static RecordStore open(CacheSettings settings, Path memory, EvictionPolicy policy, CacheRecorder recorder)
            throws IOException {
        OpenFolders folders = OpenFolders.open(settings.disks(), memory);
        try {
            AtomicInteger numbers = new AtomicInteger();
            StoreParts parts = new StoreParts(
                    folders.hash(),
                    new Index(settings.indexMemory().bytes()),
                    new SegmentTable(),
                    numbers,
                    policy,
                    new Residency(FileMemory.bytes() / 2),
                    recorder);
            Map<Disk, List<Path>> found = new TreeMap<>(Comparator.comparing(Disk::path));
            List<Disk> disks = new ArrayList<>();
            for (int i = 0; i < settings.disks().size(); i++) {
                DiskSettings disk = settings.disks().get(i);
                DiskFolder folder = folders.folders().get(i);
                List<Path> files = folder.segmentFiles();
                files.forEach(file -> numbers.accumulateAndGet(Recovery.numberOf(file), Math::max));
                long bytes = disk.size().bytes();
                Disk opened = new Disk(folder, folders.markers().get(i), bytes, settings.segmentBytes(bytes), parts);
                disks.add(opened);
                found.put(opened, files);
            }
            int lastFound = numbers.get();
            disks.forEach(Disk::start);
            long firstSequence = DiskMarker.firstSequence(folders.epoch());
            return new RecordStore(disks, parts, folders.hash(), firstSequence, found, lastFound);
        } catch (IOException | RuntimeException e) {
            folders.close();
            throw e;
        }
    }

    /** Reads what earlier runs left, all disks at once; blocks. Until it is done, what is not known yet is not found. */
    public void recover() {
        List<CompletableFuture<Void>> reading = new ArrayList<>();
        found.forEach((disk, files) -> reading.add(CompletableFuture.runAsync(() -> disk.recover(files), task -> {
            Thread thread = new Thread(task, "recovery-" + disk.path().getFileName());
            thread.setDaemon(true);
            thread.start();
        })));
        reading.forEach(CompletableFuture::join);
        recovered = true;
    }

    /** Whether all that is on the disks is known. */
    public boolean isRecovered() {
        return recovered;
    }

    /** The hash that makes this store's fingerprints. */
    public FingerprintHash hash() {
        return hash;
    }

    /** A sequence number higher than all before. */
    public long nextSequence() {
        return sequence.incrementAndGet();
    }

    /** A record to read, or null. The caller closes it. */
    public @Nullable StoredRecord find(Fingerprint key) {
        // The segment may go between the look at the index and the hold of it; then the entry has gone too.
        for (int i = 0; i < 3; i++) {
            Entry entry = parts.index().find(key);
            if (entry == null || !counts(entry)) {
                return null;
            }
            Segment segment = parts.segments().get(entry.segment());
            if (segment != null && segment.acquire()) {
                return new StoredRecord(key, entry, segment, parts);
            }
            // Numbers are never used twice: an entry that leads to a segment that is gone is of no use.
            parts.index().remove(key, entry.place());
        }
        return null;
    }

    /** Whether there is something under this fingerprint; no promise. */
    public boolean contains(Fingerprint key) {
        Entry entry = parts.index().find(key);
        return entry != null && counts(entry);
    }

    /** Whether a record of so many bytes should be written at all. */
    public boolean admits(Fingerprint key, int bytes) {
        Disk disk = place(key, true);
        return disk != null && parts.policy().admits(key, bytes, disk.isFull());
    }

    /**
     * Writes a record. Records that replace each other are found in the order of their sequence numbers.
     *
     * @param outcome told once, also if no disk takes it; the draft's body must stay as it is until then
     */
    public void write(RecordDraft draft, Outcome outcome) {
        Disk disk = place(draft.key(), !draft.kind().isReplaceable());
        if (disk == null) {
            parts.recorder().notStored(draft.bodyBytes());
            outcome.written(false);
            return;
        }
        disk.write(draft, outcome);
    }

    /** Bytes that segments take, on all disks. */
    public long used() {
        return disks.stream().mapToLong(Disk::used).sum();
    }

    /** Bytes that they may take. */
    public long capacity() {
        return disks.stream().mapToLong(Disk::capacity).sum();
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
        disks.parallelStream().forEach(Disk::close);
    }

    /** A head of an earlier run may have been replaced in a segment that is not read yet: it counts when all are. */
    private boolean counts(Entry entry) {
        return entry.kind() == Kind.BLOCK
                || (entry.kind() != Kind.TOMBSTONE && (recovered || entry.segment() > lastFound));
    }

    /**
     * The disk for a record. Blocks go where there is most room and least to do; what is replaced has a place of its own, so
     * that one thread writes its generations in order.
     */
    private @Nullable Disk place(Fingerprint key, boolean anywhere) {
        List<Disk> able = disks.stream().filter(Disk::takesWrites).toList();
        if (able.isEmpty()) {
            return null;
        }
        if (able.size() == 1) {
            return able.get(0);
        }
        if (!anywhere) {
            return able.get((int) Long.remainderUnsigned(key.low(), able.size()));
        }
        return able.stream().min(Comparator.comparingDouble(RecordStore::load)).orElseThrow();
    }

    /** How full a disk is, what waits for it included; a full one counts as such whatever its size. */
    private static double load(Disk disk) {
        double full = Math.min(1, (double) disk.used() / disk.capacity());
        return full + (double) disk.queued() / (64 << 20);
    }
}
