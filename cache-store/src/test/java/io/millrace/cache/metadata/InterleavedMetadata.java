package io.millrace.cache.metadata;

import io.millrace.cache.index.FingerprintHash;
import io.millrace.config.DataSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A metadata cache for interleaving searches: all its threads run on those of the search. The store is real; no thread
 * is ever stopped inside it.
 */
public final class InterleavedMetadata implements AutoCloseable {
    private final StaleEpoch epochs;
    private final MetadataStore store;
    private final MetadataWriter writer;
    private final MetadataCache cache;

    private InterleavedMetadata(StaleEpoch epochs, MetadataStore store) {
        this.epochs = epochs;
        this.store = store;
        this.writer = new MetadataWriter(store);
        this.cache = cache(writer);
    }

    /** Makes a store of its own below a folder. */
    public static InterleavedMetadata in(Path folder, FingerprintHash hash) {
        try {
            Path own = Files.createTempDirectory(folder, "metadata");
            StaleEpoch epochs = new StaleEpoch(StaleEpoch.first(1), 0, stale -> {});
            MetadataStore store = MetadataStore.open(
                    own.resolve("store"),
                    own.resolve("witness"),
                    DataSize.parse("32MiB").bytes(),
                    new MetadataValueCodec(new VersionFingerprints(hash)),
                    epochs,
                    1);
            return new InterleavedMetadata(epochs, store);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private MetadataCache cache(MetadataWriter writes) {
        Direct direct = new Direct();
        return new MetadataCache(
                store,
                new MetadataMaintenance(store, Long.MAX_VALUE, metadata -> true),
                new MetadataThreads(direct, direct, direct),
                writes,
                new EpochRaiser(epochs, direct));
    }

    /** What the gateway has. */
    public MetadataCache cache() {
        return cache;
    }

    /** What its next run finds. */
    public MetadataCache afterARestart() {
        return cache(new MetadataWriter(store));
    }

    /** Stores what waits, as the thread for that does. */
    public void storeWaiting() {
        try {
            writer.storeWaiting();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Stores something of an object, as if it had been asked for earlier. */
    public void store(ObjectMetadata metadata) {
        try {
            store.put(metadata, () -> true);
        } catch (CompactionBacklogException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            store.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs everything on the caller's thread. */
    private static final class Direct extends AbstractExecutorService {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }
}
