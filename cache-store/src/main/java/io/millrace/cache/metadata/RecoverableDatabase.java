package io.millrace.cache.metadata;

import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database of the metadata store. It is given up when it fails and opened again by {@link #reopen}; between there
 * is none. After a failure, and if it is not the one that the last run left, all its entries are stale. Thread-safe;
 * all methods but {@link #current} block.
 */
final class RecoverableDatabase implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RecoverableDatabase.class);

    /** The key of the run that opened the database last; lower than the key of every object. */
    static final byte[] RUN = {0, 0};

    private static final long CLOSE_MILLIS = 5000;

    private final Path folder;
    private final long memory;
    private final StaleEpoch epochs;
    private final StoreWriteCountFile writes;
    private final long run;
    private volatile @Nullable RocksDbDatabase engine;

    /** Closes a failed engine, which may hang. */
    private Thread abandoning = new Thread();

    private boolean closed;

    private RecoverableDatabase(Path folder, long memory, StaleEpoch epochs, StoreWriteCountFile writes, long run) {
        this.folder = folder;
        this.memory = memory;
        this.epochs = epochs;
        this.writes = writes;
        this.run = run;
    }

    /**
     * Opens the database in a folder, or creates it. One that is corrupt or of another format is replaced by an empty
     * one.
     *
     * @param witness a file outside the folder for {@link StoreWriteCountFile}
     * @param memory bytes for the engine
     * @param run the number of this run, one more than the last
     * @throws IOException if the folder cannot be used, or the stale epoch cannot be raised when it must be; if only
     *     the disk is full or fails, there is no database until {@link #reopen}
     */
    static RecoverableDatabase open(Path folder, Path witness, long memory, StaleEpoch epochs, long run)
            throws IOException {
        StoreWriteCountFile writes = StoreWriteCountFile.open(witness);
        RecoverableDatabase database = new RecoverableDatabase(folder, memory, epochs, writes, run);
        try {
            database.begin(run - 1);
            return database;
        } catch (MetadataFolderException e) {
            writes.close();
            throw e;
        } catch (IOException e) {
            log.warn(
                    "The metadata store {} cannot be used; objects are revalidated until it can: {}",
                    folder,
                    e.getMessage());
            epochs.raise();
            return database;
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
            adopt(opened);
        } catch (IOException | RuntimeException e) {
            abandon(opened);
            throw e;
        }
    }

    /** Marks a database as this run's, and uses it. */
    private void adopt(RocksDbDatabase opened) throws IOException {
        writes.reset(opened.writes());
        opened.putWaiting(RUN, mark());
        opened.sync();
        engine = opened;
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

    /** Returns the open database; null while it has failed, and after the end. */
    @Nullable RocksDbDatabase current() {
        return engine;
    }

    /** Records that a database was written to, so that one from before that is recognized. */
    void recordWrites(RocksDbDatabase current) throws IOException {
        writes.record(current.writes());
    }

    /** Tries to open a failed database again; its entries are stale. Does nothing if there is one. */
    synchronized void reopen() {
        if (closed || engine != null) {
            return;
        }
        try {
            epochs.raise();
            RocksDbDatabase opened = openOrMake();
            try {
                adopt(opened);
            } catch (IOException | RuntimeException e) {
                giveUp(opened);
                throw e;
            }
            log.info("The metadata store {} has recovered", folder);
        } catch (IOException e) {
            log.debug("The metadata store {} cannot be used yet: {}", folder, e.toString());
        }
    }

    /**
     * Closes the database cleanly.
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

    /** Gives up a database that has failed, as {@link #fail} does; logs if the stale epoch cannot be raised. */
    void failSoftly(RocksDbDatabase failed, Exception failure) {
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

    /**
     * Gives up a database that has failed; its entries are stale.
     *
     * @throws IOException if the stale epoch cannot be raised
     */
    synchronized void fail(RocksDbDatabase failed, Exception failure) throws IOException {
        if (engine == failed) {
            engine = null;
            log.warn(
                    "The metadata store {} has failed; objects are revalidated until it recovers; check its disk: {}",
                    folder,
                    failure.toString());
            giveUp(failed);
        }
        epochs.raise();
    }

    private void giveUp(RocksDbDatabase failed) {
        abandoning = DaemonThreads.start("metadata-close", () -> abandon(failed));
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

    /** Returns the folder, for messages. */
    @Override
    public String toString() {
        return folder.toString();
    }
}
