package io.millrace.cache.metadata;

import io.millrace.kit.file.FileFailureText;
import io.millrace.kit.file.PrivateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.AbstractNativeReference;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.Range;
import org.rocksdb.RateLimiter;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A RocksDB database of byte strings and the only owner of its native handles. All methods but {@link #mayContain}
 * block. A write is in the write-ahead log when its method returns, so that a killed process loses nothing;
 * {@link #sync} makes it survive a power loss. Thread-safe; after {@link #close} every method fails with an {@link
 * IOException}.
 *
 * @see <a href="https://github.com/facebook/rocksdb/wiki">RocksDB's documentation</a>
 */
final class RocksDbDatabase implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RocksDbDatabase.class);

    /** The size of data blocks, index partitions and filter partitions: the bytes of one device read. */
    private static final int BLOCK_BYTES = 8 << 10;

    private static final int BITS_PER_KEY = 10;
    private static final int WRITE_BUFFERS = 3;

    /** The part of the memory for write buffers. */
    private static final int WRITE_BUFFER_PART = 3;

    /** The part of the memory for table readers and for the blocks and read-ahead of iterators. */
    private static final int READER_PART = 16;

    private static final int OPEN_FILES = 256;
    private static final int BACKGROUND_JOBS = 2;
    private static final long LOG_BYTES = 1 << 20;
    private static final long CLOSE_SECONDS = 5;

    private final ReentrantReadWriteLock open = new ReentrantReadWriteLock();
    private final AbstractNativeReference[] handles;
    private final RocksDB database;
    private final Cache cache;
    private final WriteOptions waiting;
    private final WriteOptions hurried;
    private final ReadOptions point;
    private boolean closed;

    /** A visitor of the entries of a range; it returns false to end the scan. */
    interface Visitor {
        boolean visit(byte[] key, byte[] value);
    }

    /**
     * A limit of flushes and compaction that makes RocksDB stall writes under little load. Tests of kills request it by
     * a system property, in bytes a second; otherwise there is none.
     */
    private record Stalls(long bytesPerSecond, RateLimiter limiter) {
        private static final String PROPERTY = "millrace.test.metadata-compaction-rate";
        private static final long WRITE_BUFFER = 64 << 10;

        static Optional<Stalls> requested() {
            return Optional.ofNullable(Long.getLong(PROPERTY))
                    .map(bytesPerSecond -> new Stalls(bytesPerSecond, new RateLimiter(Integer.MAX_VALUE)));
        }

        void apply(Options options) {
            options.setWriteBufferSize(WRITE_BUFFER)
                    .setLevel0FileNumCompactionTrigger(1)
                    .setLevel0SlowdownWritesTrigger(1)
                    .setLevel0StopWritesTrigger(1)
                    .setRateLimiter(limiter);
        }

        /** Begins after the database is open, so that recovery is not limited. */
        void begin() {
            limiter.setBytesPerSecond(bytesPerSecond);
            // The database shares the native limiter.
            limiter.close();
        }
    }

    private RocksDbDatabase(
            RocksDB database,
            Cache cache,
            WriteOptions waiting,
            WriteOptions hurried,
            ReadOptions point,
            AbstractNativeReference... handles) {
        this.database = database;
        this.cache = cache;
        this.waiting = waiting;
        this.hurried = hurried;
        this.point = point;
        this.handles = handles;
    }

    /**
     * Opens the database in a folder, or creates it.
     *
     * @param memory bytes for its block cache, write buffers, table readers and iterators
     * @throws MetadataUnreadableException if its files, including the end of its write-ahead log, are corrupt or
     *     unreadable
     * @throws MetadataFolderException if another process has it open, or the folder cannot be used
     * @throws IOException if the folder's file system is full
     */
    static RocksDbDatabase open(Path folder, long memory) throws IOException {
        NativeLibrary.load();
        createFolder(folder);
        long writeBuffers = memory / WRITE_BUFFER_PART;
        Cache cache = new LRUCache(memory - writeBuffers - memory / READER_PART);
        BloomFilter filter = new BloomFilter(BITS_PER_KEY);
        Options options = options(writeBuffers, cache, filter);
        Optional<Stalls> stalls = Stalls.requested();
        stalls.ifPresent(requested -> requested.apply(options));
        try {
            RocksDB opened = RocksDB.open(options, folder.toString());
            stalls.ifPresent(Stalls::begin);
            return new RocksDbDatabase(
                    opened,
                    cache,
                    new WriteOptions(),
                    new WriteOptions().setNoSlowdown(true),
                    new ReadOptions(),
                    options,
                    filter,
                    cache);
        } catch (RocksDBException e) {
            options.close();
            filter.close();
            cache.close();
            throw failedOpen(folder, e);
        }
    }

    private static void createFolder(Path folder) throws MetadataFolderException {
        try {
            // Its files have the modes of the umask.
            if (!PrivateFolder.restrict(folder)) {
                log.warn(
                        "Users other than its owner can read the names and headers of cached objects in {}, {}, or name"
                                + " another folder by cache.metadata.path",
                        folder,
                        PrivateFolder.whyShared(folder));
            }
        } catch (IOException e) {
            throw new MetadataFolderException("%s cannot be made (%s)".formatted(folder, FileFailureText.of(e)), e);
        }
        if (!Files.isWritable(folder)) {
            throw new MetadataFolderException("%s cannot be written".formatted(folder), null);
        }
    }

    private static IOException failedOpen(Path folder, RocksDBException e) {
        if (String.valueOf(e.getMessage()).contains("/LOCK: ")) {
            return new MetadataFolderException("%s is in use by another process".formatted(folder), e);
        }
        boolean isFull = e.getStatus() != null && e.getStatus().getSubCode() == Status.SubCode.NoSpace;
        // RocksDB may report a corrupt file as missing, of another version, or wrongly configured.
        return isFull ? failure("opened", e) : new MetadataUnreadableException(e);
    }

    private static Options options(long writeBuffers, Cache cache, BloomFilter filter) {
        // Index and filters live in the block cache, in partitions; otherwise a read takes milliseconds when they do
        // not fit.
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(cache)
                .setBlockSize(BLOCK_BYTES)
                .setMetadataBlockSize(BLOCK_BYTES)
                .setIndexType(IndexType.kTwoLevelIndexSearch)
                .setPartitionFilters(true)
                .setCacheIndexAndFilterBlocks(true)
                .setPinTopLevelIndexAndFilter(true)
                .setFilterPolicy(filter);
        return new Options()
                .setCreateIfMissing(true)
                .setParanoidChecks(true)
                // A lost end of the log may hold a deletion, so the caller must learn of it.
                .setWalRecoveryMode(WALRecoveryMode.AbsoluteConsistency)
                .setTableFormatConfig(table)
                .setWriteBufferSize(writeBuffers / WRITE_BUFFERS)
                .setMaxWriteBufferNumber(WRITE_BUFFERS)
                .setLevelCompactionDynamicLevelBytes(true)
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                .setMaxOpenFiles(OPEN_FILES)
                .setMaxBackgroundJobs(BACKGROUND_JOBS)
                // Otherwise the last reader of a write buffer frees it, and event loops read too.
                .setAvoidUnnecessaryBlockingIO(true)
                .setStatsDumpPeriodSec(0)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setMaxLogFileSize(LOG_BYTES)
                .setKeepLogFileNum(2);
    }

    /** Returns the value of a key; null if there is none. */
    byte @Nullable [] get(byte[] key) throws IOException {
        enter();
        try {
            return database.get(point, key);
        } catch (RocksDBException e) {
            throw failure("read", e);
        } finally {
            leave();
        }
    }

    /**
     * Returns whether a key may have a value, from memory alone. Never waits for a disk; true if memory does not tell,
     * or if the database is being closed.
     */
    boolean mayContain(byte[] key) {
        if (!open.readLock().tryLock()) {
            return true;
        }
        try {
            return closed || database.keyMayExist(point, key, null);
        } finally {
            leave();
        }
    }

    /**
     * Stores a value.
     *
     * @throws CompactionBacklogException if the write would wait for compaction
     */
    void put(byte[] key, byte[] value) throws IOException {
        run("written", () -> database.put(hurried, key, value));
    }

    /** Stores a value; may wait for compaction. */
    void putWaiting(byte[] key, byte[] value) throws IOException {
        run("written", () -> database.put(waiting, key, value));
    }

    /** Removes a key if it exists; may wait for compaction. */
    void delete(byte[] key) throws IOException {
        run("written", () -> database.delete(waiting, key));
    }

    /**
     * Removes all keys of a range.
     *
     * @param end the end of the range, exclusive
     */
    void deleteRange(byte[] first, byte[] end) throws IOException {
        run("written", () -> database.deleteRange(waiting, first, end));
    }

    /** Makes all earlier writes survive a power loss; waits for that. */
    void sync() throws IOException {
        run("synced", () -> database.syncWal());
    }

    /**
     * Passes the entries of a range to a visitor, in order.
     *
     * @param end the end of the range, exclusive
     */
    void scan(byte[] first, byte[] end, Visitor visitor) throws IOException {
        run("read", () -> {
            try (Slice bound = new Slice(end);
                    ReadOptions range =
                            new ReadOptions().setIterateUpperBound(bound).setFillCache(false);
                    RocksIterator entries = database.newIterator(range)) {
                boolean more = true;
                for (entries.seek(first); more && entries.isValid(); entries.next()) {
                    more = visitor.visit(entries.key(), entries.value());
                }
                if (more) {
                    entries.status();
                }
            }
        });
    }

    /**
     * Estimates the bytes that a range takes in the database's files. Entries that are not in files yet are left out,
     * because RocksDB's estimate of them fluctuates.
     *
     * @param end the end of the range, exclusive
     */
    long bytesBetween(byte[] first, byte[] end) throws IOException {
        return call("queried", () -> {
            try (Slice from = new Slice(first);
                    Slice to = new Slice(end)) {
                return database.getApproximateSizes(List.of(new Range(from, to)), SizeApproximationFlag.INCLUDE_FILES)[
                        0];
            }
        });
    }

    /** Rewrites all files without deleted entries. Takes as long as reading and writing all of them. */
    void compact() throws IOException {
        run("compacted", () -> database.compactRange());
    }

    /** Returns the number of writes since the database was created. */
    long writes() throws IOException {
        return call("queried", database::getLatestSequenceNumber);
    }

    /** Returns the size of the files, including those that compaction has not removed yet. */
    long diskBytes() throws IOException {
        return property("rocksdb.total-sst-files-size") + property("rocksdb.cur-size-all-mem-tables");
    }

    /** Returns the estimated number of entries. */
    long entries() throws IOException {
        return property("rocksdb.estimate-num-keys");
    }

    /** Returns the memory of the block cache, the write buffers and the table readers, in bytes. */
    long memory() throws IOException {
        return property("rocksdb.size-all-mem-tables")
                + property("rocksdb.estimate-table-readers-mem")
                + call("queried", cache::getUsage);
    }

    private long property(String name) throws IOException {
        return call("queried", () -> database.getLongProperty(name));
    }

    /** An operation of the database with a result. */
    @FunctionalInterface
    private interface Operation<T> {
        T run() throws RocksDBException;
    }

    /** An operation of the database. */
    @FunctionalInterface
    private interface Action {
        void run() throws RocksDBException;
    }

    /** Runs an operation while the database cannot be closed. */
    private <T> T call(String what, Operation<T> operation) throws IOException {
        enter();
        try {
            return operation.run();
        } catch (RocksDBException e) {
            throw failure(what, e);
        } finally {
            leave();
        }
    }

    private void run(String what, Action action) throws IOException {
        boolean unused = call(what, () -> {
            action.run();
            return true;
        });
    }

    /**
     * Flushes all entries into files and closes the database. If an operation hangs, the database stays open, as after
     * a kill.
     *
     * @throws IOException if the flush failed, or an operation hangs
     */
    @Override
    public void close() throws IOException {
        close(true);
    }

    /** Closes a failed database without a flush, as a kill would. */
    void abandon() throws IOException {
        close(false);
    }

    private void close(boolean flush) throws IOException {
        boolean alone = false;
        try {
            alone = open.writeLock().tryLock(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!alone) {
            throw new IOException("an operation of the metadata store hangs");
        }
        try {
            if (!closed) {
                closed = true;
                release(flush);
            }
        } finally {
            open.writeLock().unlock();
        }
    }

    private void release(boolean flush) throws IOException {
        try (FlushOptions wait = new FlushOptions().setWaitForFlush(true)) {
            if (flush) {
                database.flush(wait);
            }
            database.closeE();
        } catch (RocksDBException e) {
            database.close();
            throw failure("closed", e);
        } finally {
            point.close();
            waiting.close();
            hurried.close();
            for (AbstractNativeReference handle : handles) {
                handle.close();
            }
        }
    }

    private void enter() throws IOException {
        open.readLock().lock();
        if (closed) {
            open.readLock().unlock();
            throw new IOException("the metadata store is closed");
        }
    }

    private void leave() {
        open.readLock().unlock();
    }

    private static IOException failure(String what, RocksDBException e) {
        Status.Code code =
                e.getStatus() == null ? Status.Code.Undefined : e.getStatus().getCode();
        return switch (code) {
            case Incomplete, Busy, TryAgain, TimedOut -> new CompactionBacklogException(e);
            case Corruption -> new MetadataUnreadableException(e);
            default -> new IOException("the metadata store cannot be " + what + ": " + e.getMessage(), e);
        };
    }
}
