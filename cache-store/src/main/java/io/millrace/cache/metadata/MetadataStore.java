package io.millrace.cache.metadata;

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
 * Object metadata on disk, in the order of backend, bucket and key. It fails soft: after an error it holds nothing until {@link #reopen},
 * and what it held is stale then. Everything here blocks, and must not run on an event loop. Safe for use by any number of threads.
 */
final class MetadataStore implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetadataStore.class);

    /** Holds the run that the store was opened by last; lower than the key of every object. */
    private static final byte[] RUN = {0, 0};

    /** Entries below a prefix that are removed one by one; a range deletion beyond makes every later read dearer. */
    private static final int REMOVED_SINGLY = 10_000;

    private static final int STRIPES = 256;
    private static final long CLOSE_MILLIS = 5000;

    private final Path folder;
    private final long memory;
    private final MetadataCodec codec;
    private final StaleEpoch epochs;
    private final WriteCount writes;
    private final long run;
    private final Object[] stripes = new Object[STRIPES];
    private volatile @Nullable MetadataEngine engine;

    /** Closes an engine that has failed, which may hang. */
    private Thread abandoning = new Thread();

    private boolean closed;

    private MetadataStore(
            Path folder, long memory, MetadataCodec codec, StaleEpoch epochs, WriteCount writes, long run) {
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
     * Opens the store of a folder, or makes it. If it is damaged it begins empty; if it is not the one that the last run has left, all that
     * it holds is stale.
     *
     * @param witness a file outside the folder, on which {@link WriteCount} relies
     * @param memory bytes for its engine
     * @param run the number of this run, one more than the last
     * @throws IOException if the folder cannot be used, or the stale epoch cannot be raised where it must be; where only its disk is full
     *     or fails, the store begins as one that has failed
     */
    static MetadataStore open(Path folder, Path witness, long memory, MetadataCodec codec, StaleEpoch epochs, long run)
            throws IOException {
        WriteCount writes = WriteCount.open(witness);
        MetadataStore store = new MetadataStore(folder, memory, codec, epochs, writes, run);
        try {
            store.begin(run - 1);
            return store;
        } catch (MetadataFolderException e) {
            writes.close();
            throw e;
        } catch (IOException e) {
            log.warn(
                    "The metadata store {} cannot be used: objects are asked for again until it can. {}",
                    folder,
                    e.getMessage());
            epochs.raise();
            return store;
        }
    }

    private void begin(long lastRun) throws IOException {
        MetadataEngine opened = openOrMake();
        try {
            byte[] before = opened.get(RUN);
            long left = before == null ? 0 : ByteBuffer.wrap(before).getLong();
            if (left != lastRun || opened.writes() < writes.highest()) {
                log.warn(
                        "The metadata store {} is not the one that the last run left: its entries are revalidated once",
                        folder);
                epochs.raise();
            }
            writes.reset(opened.writes());
            opened.put(RUN, ByteBuffer.allocate(Long.BYTES).putLong(0, run).array());
            opened.sync();
            engine = opened;
        } catch (IOException | RuntimeException e) {
            abandon(opened);
            throw e;
        }
    }

    private MetadataEngine openOrMake() throws IOException {
        try {
            return MetadataEngine.open(folder, memory);
        } catch (MetadataCorruptException e) {
            log.warn(
                    "The metadata store {} is damaged and starts empty: each object is asked for once more. {}",
                    folder,
                    e.getMessage());
            // Raised before anything is removed: what is left of it might be opened by a later start.
            epochs.raise();
            removeAll(folder);
            return MetadataEngine.open(folder, memory);
        }
    }

    /** What is stored of an object; empty also while the store has failed. */
    Optional<ObjectMetadata> get(ObjectId id) {
        MetadataEngine current = engine;
        if (current == null) {
            return Optional.empty();
        }
        try {
            byte[] value = current.get(MetadataKey.of(id));
            return value == null ? Optional.empty() : Optional.of(codec.decode(id, value, epochs));
        } catch (IOException | IllegalArgumentException e) {
            failSoftly(current, e);
            return Optional.empty();
        }
    }

    /**
     * Stores the metadata of an object if it still counts; else deletes what is stored, which is older than what was published. While the
     * store has failed, does nothing.
     *
     * @param counts asked while nobody deletes the object: whether nothing has overtaken it
     * @throws MetadataBusyException if compaction is behind; what was stored before is still there
     */
    void put(ObjectMetadata metadata, BooleanSupplier counts) throws MetadataBusyException {
        MetadataEngine current = engine;
        if (current == null) {
            return;
        }
        try {
            byte[] key = MetadataKey.of(metadata.id());
            synchronized (stripe(metadata.id())) {
                // Before the look: the epoch may be raised behind it, instead of a deletion.
                long epoch = epochs.forEntry();
                if (counts.getAsBoolean()) {
                    current.put(key, codec.encode(metadata, epoch));
                } else {
                    current.delete(key);
                }
                writes.reached(current.writes());
            }
        } catch (MetadataBusyException e) {
            throw e;
        } catch (IOException e) {
            failSoftly(current, e);
        }
    }

    /**
     * Deletes the metadata of an object. Entries that were found not to count any more are not stored after that.
     *
     * @throws IOException if that failed and could not be recorded otherwise: after a restart the entry may be believed
     */
    void delete(ObjectId id) throws IOException {
        MetadataEngine current = engine;
        if (current == null) {
            // What it holds is stale, but not before that is recorded.
            epochs.raise();
            return;
        }
        try {
            synchronized (stripe(id)) {
                current.delete(MetadataKey.of(id));
                writes.reached(current.writes());
            }
        } catch (IOException e) {
            fail(current, e);
        }
    }

    /** The same of all objects below a prefix; outlasts a power loss when it returns. */
    void delete(ObjectPrefix below) throws IOException {
        MetadataEngine current = engine;
        if (current == null) {
            // What it holds is stale, but not before that is recorded.
            epochs.raise();
            return;
        }
        try {
            // Whoever was found to count before is stored by now.
            for (Object stripe : stripes) {
                synchronized (stripe) {
                    writes.highest();
                }
            }
            byte[] first = MetadataKey.first(below);
            byte[] end = MetadataKey.end(first);
            List<byte[]> keys = new ArrayList<>();
            current.scan(first, end, (key, value) -> keys.add(key) && keys.size() <= REMOVED_SINGLY);
            if (keys.size() > REMOVED_SINGLY) {
                current.deleteRange(first, end);
            } else {
                for (byte[] key : keys) {
                    current.delete(key);
                }
            }
            writes.reached(current.writes());
            current.sync();
        } catch (IOException e) {
            fail(current, e);
        }
    }

    /**
     * The entries below a prefix, in order.
     *
     * @param after the entry to go on after; empty for the first
     * @param most how many
     * @throws IOException if they cannot be read
     */
    List<ObjectMetadata> list(ObjectPrefix below, Optional<ObjectId> after, int most) throws IOException {
        byte[] first = MetadataKey.first(below);
        byte[] from = after.map(MetadataKey::of).map(MetadataKey::after).orElse(first);
        return list(from, MetadataKey.end(first), most);
    }

    /** The same of all entries there are. */
    List<ObjectMetadata> list(Optional<ObjectId> after, int most) throws IOException {
        byte[] from = after.map(MetadataKey::of).map(MetadataKey::after).orElse(MetadataKey.after(RUN));
        return list(from, new byte[] {(byte) 0xFF}, most);
    }

    private List<ObjectMetadata> list(byte[] from, byte[] end, int most) throws IOException {
        MetadataEngine current = engine;
        if (current == null) {
            throw new IOException("the metadata store %s has failed".formatted(folder));
        }
        List<ObjectMetadata> found = new ArrayList<>();
        try {
            current.scan(from, end, (key, value) -> {
                found.add(codec.decode(MetadataKey.decode(key), value, epochs));
                return found.size() < most;
            });
            return found;
        } catch (IOException | IllegalArgumentException e) {
            failSoftly(current, e);
            throw new IOException("the metadata store %s cannot be read".formatted(folder), e);
        }
    }

    /** How much of the entries below a prefix lies before one of them, 0 to 1; an estimate. */
    double fraction(ObjectPrefix below, ObjectId position) {
        byte[] first = MetadataKey.first(below);
        byte[] end = MetadataKey.end(first);
        byte[] at = MetadataKey.of(position);
        long all = number(opened -> opened.bytesBetween(first, end));
        long before = number(opened -> opened.bytesBetween(first, at));
        return all == 0 ? 0 : Math.min(1, (double) before / all);
    }

    /** Gives the space of deleted entries back; takes as long as writing all that is left. */
    void compact() {
        MetadataEngine current = engine;
        if (current == null) {
            return;
        }
        try {
            current.compact();
        } catch (IOException e) {
            failSoftly(current, e);
        }
    }

    /** Bytes on its disk; 0 while it has failed. */
    long diskBytes() {
        return number(MetadataEngine::diskBytes);
    }

    /** Bytes of memory outside the heap; 0 while it has failed. */
    long memoryBytes() {
        return number(MetadataEngine::memory);
    }

    /** About how many objects it holds; 0 while it has failed. */
    long entries() {
        // One of them is the run.
        return Math.max(0, number(MetadataEngine::entries) - 1);
    }

    private interface Figure {
        long of(MetadataEngine engine) throws IOException;
    }

    private long number(Figure figure) {
        MetadataEngine current = engine;
        try {
            return current == null ? 0 : figure.of(current);
        } catch (IOException e) {
            return 0;
        }
    }

    /** Whether it holds nothing because of an error. */
    boolean hasFailed() {
        return engine == null;
    }

    /** Tries to use a store again that has failed; what it holds is stale. Does nothing if it works. */
    synchronized void reopen() {
        if (closed || engine != null) {
            return;
        }
        try {
            epochs.raise();
            MetadataEngine opened = openOrMake();
            writes.reset(opened.writes());
            opened.put(RUN, ByteBuffer.allocate(Long.BYTES).putLong(0, run).array());
            engine = opened;
            log.info("The metadata store {} is used again", folder);
        } catch (IOException e) {
            log.debug("The metadata store {} cannot be used yet: {}", folder, e.toString());
        }
    }

    /**
     * Closes it in order.
     *
     * @throws IOException if it could not be: then it must be found as after a power loss
     */
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        MetadataEngine current = engine;
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

    private void failSoftly(MetadataEngine failed, Exception failure) {
        try {
            fail(failed, failure);
        } catch (IOException e) {
            log.error(
                    "The metadata store {} has failed, and nothing takes the stale epoch: after a restart old metadata may be served",
                    folder,
                    e);
        }
    }

    private synchronized void fail(MetadataEngine failed, Exception failure) throws IOException {
        if (engine == failed) {
            engine = null;
            log.warn(
                    "The metadata store {} has failed: objects are asked for again until it can be used. {}",
                    folder,
                    failure.toString());
            abandoning = new Thread(() -> abandon(failed), "metadata-close");
            abandoning.setDaemon(true);
            abandoning.start();
        }
        epochs.raise();
    }

    private static void abandon(MetadataEngine engine) {
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
