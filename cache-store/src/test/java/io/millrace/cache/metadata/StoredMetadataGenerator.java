package io.millrace.cache.metadata;

import io.millrace.cache.settings.CacheSettingsFixture;
import io.millrace.config.DataSize;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Writes entries to the metadata store of a stopped gateway, as if its last run had stored them. */
public final class StoredMetadataGenerator implements AutoCloseable {
    /** The store remembers the run that opened it last under this key. */
    private static final byte[] RUN = {0, 0};

    private final MetadataStore store;

    private StoredMetadataGenerator(MetadataStore store) {
        this.store = store;
    }

    /**
     * Opens the store of a gateway that has run once.
     *
     * @param data the folder of its data
     */
    public static StoredMetadataGenerator open(Path data, VersionFingerprints fingerprints) throws IOException {
        MetadataStorePaths folders = MetadataStorePaths.of(CacheSettingsFixture.METADATA, data);
        long memory = DataSize.parse("96MiB").bytes();
        long run = run(folders.store(), memory);
        return new StoredMetadataGenerator(MetadataStore.open(
                folders.store(),
                folders.witness(),
                memory,
                new MetadataValueCodec(fingerprints),
                new StaleEpoch(StaleEpoch.first(run), 0, stale -> {}),
                run));
    }

    private static long run(Path folder, long memory) throws IOException {
        try (RocksDbDatabase engine = RocksDbDatabase.open(folder, memory)) {
            byte[] run = engine.get(RUN);
            return run == null ? 0 : ByteBuffer.wrap(run).getLong();
        }
    }

    /** Stores an entry. */
    public void add(ObjectMetadata metadata) throws IOException {
        boolean stored = false;
        while (!stored) {
            try {
                store.put(metadata, () -> true);
                stored = true;
            } catch (CompactionBacklogException compacting) {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void close() throws IOException {
        store.close();
    }
}
