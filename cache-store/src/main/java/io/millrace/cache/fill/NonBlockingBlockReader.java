package io.millrace.cache.fill;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.StoredBlock;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.monitor.CacheEventListener;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads cached bytes on a thread that must not wait: from the memory tier, or from the disk if they are probably in the
 * page cache. Thread-safe.
 */
public final class NonBlockingBlockReader implements AutoCloseable {
    private final BlockStore store;
    private final MemoryTier tier;
    private final CacheEventListener recorder;

    /** @param tierBytes the memory for copies of what is read often, in bytes */
    public NonBlockingBlockReader(BlockStore store, long tierBytes, CacheEventListener recorder) {
        this.store = store;
        this.tier = new MemoryTier(tierBytes);
        this.recorder = recorder;
    }

    /**
     * Returns bytes of a version if one stored block has them all and they can be read at once; null otherwise. The
     * caller owns the buffer.
     *
     * @param version the fingerprint of the version
     * @param blockSize bytes of each of its blocks but the last
     */
    public @Nullable ByteBuf read(Fingerprint version, int blockSize, ByteRange range) {
        long number = range.first() / blockSize;
        boolean isSmall = range.length() <= CachedRangeStream.SMALL && range.last() / blockSize == number;
        if (!isSmall || store.verifiesAlways()) {
            return null;
        }
        Fingerprint key = store.hash().of(version, number);
        StoredBlock block = store.find(key);
        return block == null ? null : read(key, block, (int) (range.first() % blockSize), (int) range.length());
    }

    /** Frees the memory tier. */
    @Override
    public void close() {
        tier.close();
    }

    private @Nullable ByteBuf read(Fingerprint key, StoredBlock block, int offset, int bytes) {
        try (block) {
            ByteBuf read = block.isVerified() ? read(key, offset, bytes, block) : null;
            if (read != null) {
                block.used();
                recorder.served(bytes);
            }
            return read;
        } catch (IOException e) {
            block.dropUnreadable(e);
            return null;
        }
    }

    private @Nullable ByteBuf read(Fingerprint key, int offset, int bytes, StoredBlock block) throws IOException {
        if (block.bodyBytes() > CachedRangeStream.SMALL) {
            return readSlice(key, offset, bytes, block);
        }
        ByteBuf copy = readCopy(key, block, offset, bytes);
        return copy != null || !block.isLikelyInMemory(offset, bytes) ? copy : readPageCache(key, block, offset, bytes);
    }

    /**
     * Reads all that one response has of a larger block, as a member of an archive. Its copy has these bytes alone,
     * under a key that is made of the block's as that is made of the version's.
     */
    private @Nullable ByteBuf readSlice(Fingerprint key, int offset, int bytes, StoredBlock block) throws IOException {
        Fingerprint slice = store.hash().of(key, ((long) offset << Integer.SIZE) | bytes);
        ByteBuf copy = tier.read(slice, block.place(), 0, bytes);
        if (copy != null || !block.isLikelyInMemory(offset, bytes)) {
            return copy;
        }
        ByteBuf read = block.readFromMemory(offset, bytes);
        if (read != null) {
            tier.offer(slice, block.place(), read);
        }
        return read;
    }

    /**
     * Returns bytes of a verified block from its copy in the memory tier; null if there is none. The caller owns the
     * buffer.
     */
    @Nullable ByteBuf readCopy(Fingerprint key, StoredBlock block, int offset, int bytes) {
        return block.bodyBytes() <= CachedRangeStream.SMALL ? tier.read(key, block.place(), offset, bytes) : null;
    }

    /**
     * Reads bytes of a verified block that are probably in the page cache; null if the block is gone. The caller owns
     * the buffer.
     */
    @Nullable ByteBuf readPageCache(Fingerprint key, StoredBlock block, int offset, int bytes) throws IOException {
        ByteBuf read = block.readFromMemory(offset, bytes);
        if (read != null && bytes == block.bodyBytes()) {
            tier.offer(key, block.place(), read);
        }
        return read;
    }
}
