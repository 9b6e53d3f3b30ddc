package io.millrace.cache;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.fill.FillManager;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.metadata.ObjectMetadata;
import java.util.function.Function;

/** Where the bytes of versions are. A look into memory; no promise, since they may go or come meanwhile. */
final class BlockLocator {
    /** Blocks that {@link #locate} looks at, which takes some ten microseconds. */
    private static final long MAX_LOCATED_BLOCKS = 128;

    private final BlockStore store;
    private final FillManager fills;

    BlockLocator(BlockStore store, FillManager fills) {
        this.store = store;
        this.fills = fills;
    }

    /** Whether all of these bytes are on disks. */
    boolean isFullyResident(ObjectMetadata head, ByteRange range) {
        return combine(
                        head,
                        range,
                        Long.MAX_VALUE,
                        key -> store.contains(key) ? BlockAvailability.AVAILABLE : BlockAvailability.ABSENT)
                == BlockAvailability.AVAILABLE;
    }

    /** Whether any block of an object is on a disk. */
    static boolean isAnyResident(BlockStore store, ObjectMetadata metadata) {
        for (long block = 0; block < metadata.blocks(); block++) {
            if (store.contains(store.hash().of(metadata.version(), block))) {
                return true;
            }
        }
        return false;
    }

    /** How many bytes of some of an object's blocks are on disks. */
    long residentBytes(ObjectMetadata head, long first, long end) {
        long bytes = 0;
        for (long block = first; block < end; block++) {
            if (store.contains(store.hash().of(head.version(), block))) {
                bytes += Math.min(head.blockSize(), head.size() - block * head.blockSize());
            }
        }
        return bytes;
    }

    /** Where they are, as far as the first blocks tell. */
    BlockAvailability locate(ObjectMetadata head, ByteRange range) {
        return combine(head, range, MAX_LOCATED_BLOCKS, this::presence);
    }

    /** In memory first: what leaves it has come to a disk before. */
    private BlockAvailability presence(Fingerprint block) {
        BlockAvailability inMemory = fills.availability(block);
        return inMemory == BlockAvailability.ABSENT && store.contains(block) ? BlockAvailability.AVAILABLE : inMemory;
    }

    private BlockAvailability combine(
            ObjectMetadata head, ByteRange range, long most, Function<Fingerprint, BlockAvailability> where) {
        long first = range.first() / head.blockSize();
        long last = Math.min(range.last() / head.blockSize(), first + most - 1);
        BlockAvailability all = BlockAvailability.AVAILABLE;
        for (long block = first; block <= last && all != BlockAvailability.ABSENT; block++) {
            BlockAvailability one = where.apply(store.hash().of(head.version(), block));
            all = one == BlockAvailability.AVAILABLE ? all : one;
        }
        return all;
    }
}
