package io.millrace.cache.metadata;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores object metadata on disk, in the order of backend, bucket and key. After an error the store acts as empty until
 * {@link #reopen}, and its earlier entries are stale then. All methods but {@link #mayContain} and {@link #isAbsent}
 * block and must not run on an event loop. Thread-safe.
 */
final class MetadataStore implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetadataStore.class);

    /** The most entries below a prefix that are deleted one by one; a range deletion slows down every later read. */
    private static final int REMOVED_SINGLY = 10_000;

    private static final int STRIPES = 256;

    private final RecoverableDatabase database;
    private final MetadataValueCodec codec;
    private final StaleEpoch epochs;
    private final Object[] stripes = new Object[STRIPES];

    private MetadataStore(RecoverableDatabase database, MetadataValueCodec codec, StaleEpoch epochs) {
        this.database = database;
        this.codec = codec;
        this.epochs = epochs;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Object();
        }
    }

    /**
     * Opens the store in a folder, or creates it, as {@link RecoverableDatabase#open} does.
     *
     * @throws IOException if the folder cannot be used, or the stale epoch cannot be raised when it must be
     */
    static MetadataStore open(
            Path folder, Path witness, long memory, MetadataValueCodec codec, StaleEpoch epochs, long run)
            throws IOException {
        return new MetadataStore(RecoverableDatabase.open(folder, witness, memory, epochs, run), codec, epochs);
    }

    /** Returns the stored metadata of an object; empty also while the store has failed. */
    Optional<ObjectMetadata> get(ObjectId id) {
        RocksDbDatabase current = database.current();
        if (current == null) {
            return Optional.empty();
        }
        try {
            byte[] value = current.get(MetadataKeyCodec.of(id));
            return value == null ? Optional.empty() : Optional.of(codec.decode(id, value, epochs));
        } catch (IOException | IllegalArgumentException e) {
            database.failSoftly(current, e);
            return Optional.empty();
        }
    }

    /**
     * Returns whether {@link #get} may find an object, from memory alone; false also while the store has failed.
     */
    boolean mayContain(ObjectId id) {
        RocksDbDatabase current = database.current();
        return current != null && current.mayContain(MetadataKeyCodec.of(id));
    }

    /**
     * Returns whether nothing is stored of an object, from memory alone; false also while the store has failed, since
     * it may come back with an entry.
     */
    boolean isAbsent(ObjectId id) {
        RocksDbDatabase current = database.current();
        return current != null && !current.mayContain(MetadataKeyCodec.of(id));
    }

    /**
     * Stores the metadata of an object if it is still current; otherwise deletes the stored entry, which is older. Does
     * nothing while the store has failed.
     *
     * @param counts returns whether the metadata is still current; called while no deletion of the object runs
     * @throws CompactionBacklogException if compaction is behind; the earlier entry is still stored
     */
    void put(ObjectMetadata metadata, BooleanSupplier counts) throws CompactionBacklogException {
        RocksDbDatabase current = database.current();
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
                database.recordWrites(current);
            }
        } catch (CompactionBacklogException e) {
            throw e;
        } catch (IOException e) {
            database.failSoftly(current, e);
        }
    }

    /**
     * Stores the metadata of an object that has no other record, in place of the stored entry. When it returns, the
     * entry survives the end of the process.
     *
     * @throws IOException if it is not stored; then the earlier entry may still be
     */
    void keep(ObjectMetadata metadata) throws IOException {
        RocksDbDatabase current = database.current();
        if (current == null) {
            throw new IOException("the metadata store %s has failed".formatted(database));
        }
        try {
            synchronized (stripe(metadata.id())) {
                current.put(MetadataKeyCodec.of(metadata.id()), codec.encode(metadata, epochs.forEntry()));
                database.recordWrites(current);
            }
        } catch (CompactionBacklogException e) {
            throw e;
        } catch (IOException e) {
            database.failSoftly(current, e);
            throw e;
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
        RocksDbDatabase current = database.current();
        if (current == null) {
            // The store's entries are stale only after that is recorded.
            epochs.raise();
            return;
        }
        try {
            synchronized (stripe(id)) {
                current.delete(MetadataKeyCodec.of(id));
                database.recordWrites(current);
            }
        } catch (IOException e) {
            database.fail(current, e);
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("An entry of the metadata store {} cannot be deleted; all are revalidated once", database, e);
            epochs.raise();
        }
    }

    /**
     * Deletes the metadata of objects, as {@link #delete(ObjectId)} does that of one; also of the others if one fails.
     */
    void delete(Collection<ObjectId> ids) throws IOException {
        @Nullable IOException unrecorded = null;
        for (ObjectId id : ids) {
            try {
                delete(id);
            } catch (IOException e) {
                unrecorded = e;
            }
        }
        if (unrecorded != null) {
            throw unrecorded;
        }
    }

    /** Deletes the metadata of all objects below a prefix; survives a power loss when it returns. */
    void delete(ObjectPrefix below) throws IOException {
        RocksDbDatabase current = database.current();
        if (current == null) {
            // The store's entries are stale only after that is recorded.
            epochs.raise();
            return;
        }
        try {
            // Waits for running puts whose check has already passed.
            for (Object stripe : stripes) {
                synchronized (stripe) {
                    database.current();
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
            database.recordWrites(current);
            current.sync();
        } catch (IOException e) {
            database.fail(current, e);
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
        byte[] from = after.map(MetadataKeyCodec::of)
                .map(MetadataKeyCodec::after)
                .orElse(MetadataKeyCodec.after(RecoverableDatabase.RUN));
        return list(from, new byte[] {(byte) 0xFF}, maxEntries);
    }

    private List<ObjectMetadata> list(byte[] from, byte[] end, int maxEntries) throws IOException {
        RocksDbDatabase current = database.current();
        if (current == null) {
            throw new IOException("the metadata store %s has failed".formatted(database));
        }
        List<ObjectMetadata> found = new ArrayList<>();
        try {
            current.scan(from, end, (key, value) -> {
                found.add(codec.decode(MetadataKeyCodec.decode(key), value, epochs));
                return found.size() < maxEntries;
            });
            return found;
        } catch (IOException | IllegalArgumentException e) {
            database.failSoftly(current, e);
            throw new IOException("the metadata store %s cannot be read".formatted(database), e);
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
        RocksDbDatabase current = database.current();
        if (current == null) {
            return;
        }
        try {
            current.compact();
        } catch (IOException e) {
            database.failSoftly(current, e);
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
        RocksDbDatabase current = database.current();
        try {
            return current == null ? 0 : figure.of(current);
        } catch (IOException e) {
            return 0;
        }
    }

    /** Returns whether the store has failed and acts as empty. */
    boolean hasFailed() {
        return database.current() == null;
    }

    /** Tries to open a failed store again; its entries are stale. Does nothing if the store works. */
    void reopen() {
        database.reopen();
    }

    /**
     * Closes the store cleanly.
     *
     * @throws IOException if that failed: no clean stop must be recorded
     */
    @Override
    public void close() throws IOException {
        database.close();
    }

    private Object stripe(ObjectId id) {
        int hash = id.hashCode();
        return stripes[(hash ^ (hash >>> 16)) & (STRIPES - 1)];
    }
}
