package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.segment.BlockDraft;
import io.millrace.cache.fill.CacheableVersion;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectIdCodec;
import io.millrace.cache.metadata.ObjectMetadata;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;

/**
 * Creates {@link CacheableVersion}s, through which the blocks of one object version are fetched from its backend and
 * stored. They fetch from an {@link ObjectSource}, and their blocks carry the object's id.
 */
final class CacheableVersionFactory {
    private final BlockStore store;
    private final BiConsumer<ObjectId, BackendException> failed;

    /** @param failed called with the failure of each fetch from a backend */
    CacheableVersionFactory(BlockStore store, BiConsumer<ObjectId, BackendException> failed) {
        this.store = store;
        this.failed = failed;
    }

    /** Returns the version described by this metadata, for fills and readers. */
    CacheableVersion create(ObjectMetadata metadata, ObjectSource source) {
        return new CacheableVersion(
                store.hash(),
                metadata.version(),
                metadata.size(),
                metadata.blockSize(),
                range -> source.fetch(metadata.head().version(), range)
                        .doOnError(BackendException.class, failure -> failed.accept(metadata.id(), failure)),
                (key, number, body) ->
                        new BlockDraft(key, number, ByteBuffer.wrap(ObjectIdCodec.encode(metadata.id())), body));
    }
}
