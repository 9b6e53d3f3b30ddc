package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.cache.BlockCache;
import java.io.IOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WriteOptions;

/** Makes the metadata store of a running cache hang or stall writes, until this is closed, or fail. */
public final class MetadataStoreFault implements AutoCloseable {
    /** The key of the run, whose value no test changes. */
    private static final byte[] KEY = {0, 0};

    private final Runnable end;

    private MetadataStoreFault(Runnable end) {
        this.end = end;
    }

    /** From now on no operation of the store ends. */
    public static MetadataStoreFault hanging(BlockCache cache) throws InterruptedException {
        ReentrantReadWriteLock open = (ReentrantReadWriteLock) field(engine(cache), "open");
        CountDownLatch goesOn = new CountDownLatch(1);
        CountDownLatch hangs = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            open.writeLock().lock();
            try {
                hangs.countDown();
                goesOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                open.writeLock().unlock();
            }
        });
        thread.setDaemon(true);
        thread.start();
        hangs.await();
        return new MetadataStoreFault(goesOn::countDown);
    }

    /** From now on RocksDB stalls all writes, as it does when flushes and compaction fall behind. */
    static MetadataStoreFault stalling(MetadataStore store) throws RocksDBException {
        RocksDB database = (RocksDB) field(engineOf(store), "database");
        setWriteBuffers(database, 64 << 10);
        database.pauseBackgroundWork();
        try (WriteOptions hurried = new WriteOptions().setNoSlowdown(true)) {
            byte[] value = Objects.requireNonNull(database.get(KEY));
            while (true) {
                database.put(hurried, KEY, value);
            }
        } catch (RocksDBException stalled) {
            assertThat(stalled.getStatus().getCode()).isEqualTo(Status.Code.Incomplete);
            assertThat(database.getLongProperty("rocksdb.is-write-stopped")).isEqualTo(1);
        }
        return new MetadataStoreFault(() -> goOn(database));
    }

    private static void setWriteBuffers(RocksDB database, long bytes) throws RocksDBException {
        database.setOptions(
                MutableColumnFamilyOptions.builder().setWriteBufferSize(bytes).build());
    }

    private static void goOn(RocksDB database) {
        try {
            setWriteBuffers(database, 4 << 20);
            database.continueBackgroundWork();
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    /** From now on each operation of the store fails, until it is opened again. */
    public static void fail(BlockCache cache) throws IOException {
        engine(cache).close();
    }

    /** From now on each operation of the store fails, until it is opened again. */
    static void fail(MetadataStore store) throws IOException {
        engineOf(store).close();
    }

    /** Whether nothing that was published waits to be stored. */
    public static boolean isAllStored(BlockCache cache) {
        return waiting(cache).isEmpty();
    }

    /** Whether what was published of an object does not wait to be stored. */
    public static boolean isStored(BlockCache cache, ObjectId id) {
        return !waiting(cache).containsKey(id);
    }

    /** Waits until all that was published is stored. */
    public static void awaitStored(BlockCache cache, Duration atMost) {
        Polling.within(atMost).alias("metadata is stored").until(() -> isAllStored(cache));
    }

    /** It goes on. */
    @Override
    public void close() {
        end.run();
    }

    private static Map<?, ?> waiting(BlockCache cache) {
        return (Map<?, ?>) field(field(field(cache, "metadata"), "writer"), "waiting");
    }

    private static RocksDbDatabase engine(BlockCache cache) {
        return engineOf(field(field(cache, "metadata"), "store"));
    }

    private static RocksDbDatabase engineOf(Object store) {
        return (RocksDbDatabase) field(field(store, "database"), "engine");
    }

    private static Object field(Object of, String name) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return Objects.requireNonNull(field.get(of));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
