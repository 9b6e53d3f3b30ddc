package io.millrace.cache.metadata;

import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores object metadata on disk, in the order of backend, bucket and key. After an error the store acts as empty until
 * {@link #reopen}, and its earlier entries are stale then. All methods but {@link #mayContain} block and must not run
 * on an event loop. Thread-safe.
 */
final class MetadataStore implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetadataStore.class);

    /** The key of the run that opened the store last; lower than the key of every object. */
    private static final byte[] RUN = {0, 0};

    /** The most entries below a prefix that are deleted one by one; a range deletion slows down every later read. */
    private static final int REMOVED_SINGLY = 10_000;

    private static final int STRIPES = 256;
    private static final long CLOSE_MILLIS = 5000;

    private final Path folder;
    private final long memory;
    private final MetadataValueCodec codec;
    private final StaleEpoch epochs;
    private final StoreWriteCountFile writes;
    private final long run;
    private final Object[] stripes = new Object[STRIPES];
    private volatile @Nullable RocksDbDatabase engine;

    /** Closes a failed engine, which may hang. */
    private Thread abandoning = new Thread();

    private boolean closed;

    private MetadataStore(
            Path folder,
            long memory,
            MetadataValueCodec codec,
            StaleEpoch epochs,
            StoreWriteCountFile writes,
            long run) {
        this.folder = folder;
        this.memory = memory;
        this.codec = codec;
        this.epochs = epochs;
        this.writes = writes;
        this.run = run;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Object();
        }
    }

    /**
     * Opens the store in a folder, or creates it. A store that is corrupt or of another format is replaced by an empty
     * one. If the store is not the one that the last run left, all its entries are stale.
     *
     * @param witness a file outside the folder for {@link StoreWriteCountFile}
     * @param memory bytes for the engine
     * @param run the number of this run, one more than the last
     * @throws IOException if the folder cannot be used, or the stale epoch cannot be raised when it must be; if only
     *     the disk is full or fails, the store starts in the failed state
     */
    static MetadataStore open(
            Path folder, Path witness, long memory, MetadataValueCodec codec, StaleEpoch epochs, long run)
            throws IOException {
        StoreWriteCountFile writes = StoreWriteCountFile.open(witness);
        MetadataStore store = new MetadataStore(folder, memory, codec, epochs, writes, run);
        try {
            store.begin(run - 1);
            return store;
        } catch (MetadataFolderException e) {
            writes.close();
            throw e;
        } catch (IOException e) {
            log.warn(
                    "The metadata store {} cannot be used; objects are revalidated until it can: {}",
                    folder,
                    e.getMessage());
            epochs.raise();
            return store;
        }
    }

    private void begin(long lastRun) throws IOException {
        RocksDbDatabase opened = openOrMake();
        try {
            byte[] before = opened.get(RUN);
            long left = before == null ? 0 : ByteBuffer.wrap(before).getLong();
            if (left != lastRun || opened.writes() < writes.highest()) {
                log.warn(
                        "The metadata store {} is not the one that the last run left; its entries are revalidated once",
                        folder);
                epochs.raise();
            }
            writes.reset(opened.writes());
            opened.putWaiting(RUN, mark());
            opened.sync();
            engine = opened;
        } catch (IOException | RuntimeException e) {
            abandon(opened);
            throw e;
        }
    }

    private RocksDbDatabase openOrMake() throws IOException {
        try {
            return openReadable();
        } catch (MetadataUnreadableException e) {
            log.warn(
                    "The metadata store {} is discarded and starts empty; each object is revalidated once: {}",
                    folder,
                    e.getMessage());
            // Raised before the files are removed, because a later start might open the remaining ones.
            epochs.raise();
            removeAll(folder);
            return RocksDbDatabase.open(folder, memory);
        }
    }

    private RocksDbDatabase openReadable() throws IOException {
        RocksDbDatabase opened = RocksDbDatabase.open(folder, memory);
        try {
            byte[] before = opened.get(RUN);
            int format = before == null || before.length == Long.BYTES ? MetadataValueCodec.FORMAT : before[Long.BYTES];
            if (format != MetadataValueCodec.FORMAT) {
                throw new MetadataUnreadableException("its format is %d, and this version of Millrace reads %d"
                        .formatted(format, MetadataValueCodec.FORMAT));
            }
            return opened;
        } catch (IOException | RuntimeException e) {
            abandon(opened);
            throw e;
        }
    }

    /** Returns the value of {@link #RUN}: the run, and the format of the entries. */
    private byte[] mark() {
        return ByteBuffer.allocate(Long.BYTES + 1)
                .putLong(run)
                .put(MetadataValueCodec.FORMAT)
                .array();
    }

    /** Returns the stored metadata of an object; empty also while the store has failed. */
    Optional<ObjectMetadata> get(ObjectId id) {
        RocksDbDatabase current = engine;
        if (current == null) {
            return Optional.empty();
        }
        try {
            byte[] value = current.get(MetadataKeyCodec.of(id));
            return value == null ? Optional.empty() : Optional.of(codec.decode(id, value, epochs));
        } catch (IOException | IllegalArgumentException e) {
            failSoftly(current, e);
            return Optional.empty();
        }
    }

    /**
     * Returns whether {@link #get} may find an object, from memory alone; false also while the store has failed.
     */
    boolean mayContain(ObjectId id) {
        RocksDbDatabase current = engine;
        return current != null && current.mayContain(MetadataKeyCodec.of(id));
    }

    /**
     * Stores the metadata of an object if it is still current; otherwise deletes the stored entry, which is older. Does
     * nothing while the store has failed.
     *
     * @param counts returns whether the metadata is still current; called while no deletion of the object runs
     * @throws CompactionBacklogException if compaction is behind; the earlier entry is still stored
     */
    void put(ObjectMetadata metadata, BooleanSupplier counts) throws CompactionBacklogException {
        RocksDbDatabase current = engine;
        if (current == null) {
            return;
        }
        try {
            byte[] key = MetadataKeyCodec.of(metadata.id());
            synchronized (stripe(metadata.id())) {
                // Read before the check, because the epoch may be raised after it instead of a deletion.
                long epoch = epochs.forEntry();
                if (counts.getAsBoolean()) {
                    current.put(key, codec.encode(metadata, epoch));
                } else {
                    current.delete(key);
                }
                writes.record(current.writes());
            }
        } catch (CompactionBacklogException e) {
            throw e;
        } catch (IOException e) {
            failSoftly(current, e);
        }
    }

    /**
     * Deletes the metadata of an object, or raises the stale epoch if that fails. A concurrent {@link #put} of outdated
     * metadata stores nothing after this.
     *
     * @throws IOException if neither the deletion nor the stale epoch could be recorded: after a restart the entry may
     *     be used
     */
    void delete(ObjectId id) throws IOException {
        RocksDbDatabase current = engine;
        if (current == null) {
            // The store's entries are stale only after that is recorded.
            epochs.raise();
            return;
        }
        try {
            synchronized (stripe(id)) {
                current.delete(MetadataKeyCodec.of(id));
                writes.record(current.writes());
            }
        } catch (IOException e) {
            fail(current, e);
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("An entry of the metadata store {} cannot be deleted; all are revalidated once", folder, e);
            epochs.raise();
        }
    }

    /** Deletes the metadata of all objects below a prefix; survives a power loss when it returns. */
    void delete(ObjectPrefix below) throws IOException {
        RocksDbDatabase current = engine;
        if (current == null) {
            // The store's entries are stale only after that is recorded.
            epochs.raise();
            return;
        }
        try {
            // Waits for running puts whose check has already passed.
            for (Object stripe : stripes) {
                synchronized (stripe) {
                    writes.highest();
                }
            }
            byte[] first = MetadataKeyCodec.first(below);
            byte[] end = MetadataKeyCodec.end(first);
            List<byte[]> keys = new ArrayList<>();
            current.scan(first, end, (key, value) -> keys.add(key) && keys.size() <= REMOVED_SINGLY);
            if (keys.size() > REMOVED_SINGLY) {
                current.deleteRange(first, end);
            } else {
                for (byte[] key : keys) {
                    current.delete(key);
                }
            }
            writes.record(current.writes());
            current.sync();
        } catch (IOException e) {
            fail(current, e);
        }
    }

    /**
     * Lists the entries below a prefix, in order.
     *
     * @param after the last entry of the previous page; empty for the first page
     * @param maxEntries the maximum number of entries
     * @throws IOException if they cannot be read
     */
    List<ObjectMetadata> list(ObjectPrefix below, Optional<ObjectId> after, int maxEntries) throws IOException {
        byte[] first = MetadataKeyCodec.first(below);
        byte[] from =
                after.map(MetadataKeyCodec::of).map(MetadataKeyCodec::after).orElse(first);
        return list(from, MetadataKeyCodec.end(first), maxEntries);
    }

    /** Lists all entries, in order. */
    List<ObjectMetadata> list(Optional<ObjectId> after, int maxEntries) throws IOException {
        byte[] from =
                after.map(MetadataKeyCodec::of).map(MetadataKeyCodec::after).orElse(MetadataKeyCodec.after(RUN));
        return list(from, new byte[] {(byte) 0xFF}, maxEntries);
    }

    private List<ObjectMetadata> list(byte[] from, byte[] end, int maxEntries) throws IOException {
        RocksDbDatabase current = engine;
        if (current == null) {
            throw new IOException("the metadata store %s has failed".formatted(folder));
        }
        List<ObjectMetadata> found = new ArrayList<>();
        try {
            current.scan(from, end, (key, value) -> {
                found.add(codec.decode(MetadataKeyCodec.decode(key), value, epochs));
                return found.size() < maxEntries;
            });
            return found;
        } catch (IOException | IllegalArgumentException e) {
            failSoftly(current, e);
            throw new IOException("the metadata store %s cannot be read".formatted(folder), e);
        }
    }

    /** Returns the share of a prefix's entries that precede {@code position}, 0 to 1; an estimate. */
    double fraction(ObjectPrefix below, ObjectId position) {
        byte[] first = MetadataKeyCodec.first(below);
        byte[] end = MetadataKeyCodec.end(first);
        byte[] at = MetadataKeyCodec.of(position);
        long all = statistic(opened -> opened.bytesBetween(first, end));
        long before = statistic(opened -> opened.bytesBetween(first, at));
        return all == 0 ? 0 : Math.min(1, (double) before / all);
    }

    /** Reclaims the space of deleted entries; takes as long as rewriting all others. */
    void compact() {
        RocksDbDatabase current = engine;
        if (current == null) {
            return;
        }
        try {
            current.compact();
        } catch (IOException e) {
            failSoftly(current, e);
        }
    }

    /** Returns the size on disk, in bytes; 0 while the store has failed. */
    long diskBytes() {
        return statistic(RocksDbDatabase::diskBytes);
    }

    /** Returns the memory outside the heap, in bytes; 0 while the store has failed. */
    long memoryBytes() {
        return statistic(RocksDbDatabase::memory);
    }

    /** Returns the estimated number of entries; 0 while the store has failed. */
    long entries() {
        // One of them is the run.
        return Math.max(0, statistic(RocksDbDatabase::entries) - 1);
    }

    private interface Statistic {
        long of(RocksDbDatabase engine) throws IOException;
    }

    private long statistic(Statistic figure) {
        RocksDbDatabase current = engine;
        try {
            return current == null ? 0 : figure.of(current);
        } catch (IOException e) {
            return 0;
        }
    }

    /** Returns whether the store has failed and acts as empty. */
    boolean hasFailed() {
        return engine == null;
    }

    /** Tries to open a failed store again; its entries are stale. Does nothing if the store works. */
    synchronized void reopen() {
        if (closed || engine != null) {
            return;
        }
        try {
            epochs.raise();
            RocksDbDatabase opened = openOrMake();
            writes.reset(opened.writes());
            opened.putWaiting(RUN, mark());
            engine = opened;
            log.info("The metadata store {} has recovered", folder);
        } catch (IOException e) {
            log.debug("The metadata store {} cannot be used yet: {}", folder, e.toString());
        }
    }

    /**
     * Closes the store cleanly.
     *
     * @throws IOException if that failed: no clean stop must be recorded
     */
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        RocksDbDatabase current = engine;
        engine = null;
        if (current == null) {
            awaitAbandoned();
            writes.close();
            throw new IOException("the metadata store %s has failed before".formatted(folder));
        }
        current.close();
        writes.close();
    }

    private void awaitAbandoned() {
        try {
            abandoning.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Object stripe(ObjectId id) {
        int hash = id.hashCode();
        return stripes[(hash ^ (hash >>> 16)) & (STRIPES - 1)];
    }

    private void failSoftly(RocksDbDatabase failed, Exception failure) {
        try {
            fail(failed, failure);
        } catch (IOException e) {
            log.error(
                    "The metadata store {} has failed and the stale epoch cannot be recorded; after a restart outdated"
                            + " metadata may be served. Check this disk and the cache disks",
                    folder,
                    e);
        }
    }

    private synchronized void fail(RocksDbDatabase failed, Exception failure) throws IOException {
        if (engine == failed) {
            engine = null;
            log.warn(
                    "The metadata store {} has failed; objects are revalidated until it recovers; check its disk: {}",
                    folder,
                    failure.toString());
            abandoning = DaemonThreads.start("metadata-close", () -> abandon(failed));
        }
        epochs.raise();
    }

    private static void abandon(RocksDbDatabase engine) {
        try {
            engine.abandon();
        } catch (IOException e) {
            log.debug("A metadata store that has failed cannot be closed", e);
        }
    }

    private static void removeAll(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
