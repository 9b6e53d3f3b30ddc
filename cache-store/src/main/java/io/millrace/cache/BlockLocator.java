package io.millrace.cache;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.fill.FillManager;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.metadata.ObjectMetadata;
import java.util.function.Function;

/**
 * Finds out which blocks of an object version are on disk, in memory or being fetched. Reads only the in-memory
 * indexes. A result may be outdated when it returns, because blocks come and go meanwhile.
 */
record BlockLocator(BlockStore store, FillManager fills) {
    /**
     * The most blocks that {@link #locate} checks: those of all that one request fetches ({@link
     * CacheReader#WHOLE_BYTES}), in the smallest blocks. Takes some twenty microseconds.
     */
    private static final long MAX_LOCATED_BLOCKS = 256;

    /** Returns whether all blocks of a range are on disks. */
    boolean isFullyResident(ObjectMetadata metadata, ByteRange range) {
        return combine(
                        metadata,
                        range,
                        Long.MAX_VALUE,
                        key -> store.contains(key) ? BlockAvailability.AVAILABLE : BlockAvailability.ABSENT)
                == BlockAvailability.AVAILABLE;
    }

    /** Returns whether any block of an object is on a disk. */
    static boolean isAnyResident(BlockStore store, ObjectMetadata metadata) {
        for (long block = 0; block < metadata.blocks(); block++) {
            if (store.contains(store.hash().of(metadata.version(), block))) {
                return true;
            }
        }
        return false;
    }

    /** Returns how many bytes of the blocks from {@code first} to {@code end}, exclusive, are on disks. */
    long residentBytes(ObjectMetadata metadata, long first, long end) {
        long bytes = 0;
        for (long block = first; block < end; block++) {
            if (store.contains(store.hash().of(metadata.version(), block))) {
                bytes += Math.min(metadata.blockSize(), metadata.size() - block * metadata.blockSize());
            }
        }
        return bytes;
    }

    /** Returns the worst availability among the first {@link #MAX_LOCATED_BLOCKS} blocks of a range. */
    BlockAvailability locate(ObjectMetadata metadata, ByteRange range) {
        return combine(metadata, range, MAX_LOCATED_BLOCKS, this::availability);
    }

    /**
     * Checks the memory before the disks: a block leaves the memory only after it is on a disk. One that is on a disk
     * may be in flight, too, behind a gap that a sequential source fills.
     */
    private BlockAvailability availability(Fingerprint block) {
        BlockAvailability inMemory = fills.availability(block);
        return inMemory != BlockAvailability.AVAILABLE && store.contains(block)
                ? BlockAvailability.AVAILABLE
                : inMemory;
    }

    private BlockAvailability combine(
            ObjectMetadata metadata,
            ByteRange range,
            long maxBlocks,
            Function<Fingerprint, BlockAvailability> locator) {
        long first = range.first() / metadata.blockSize();
        long last = first + Math.min(range.last() / metadata.blockSize() - first, maxBlocks - 1);
        BlockAvailability all = BlockAvailability.AVAILABLE;
        for (long block = first; block <= last && all != BlockAvailability.ABSENT; block++) {
            BlockAvailability one = locator.apply(store.hash().of(metadata.version(), block));
            all = one == BlockAvailability.AVAILABLE ? all : one;
        }
        return all;
    }
}
