package io.millrace.cache;

import io.millrace.backend.spi.ByteRange;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.fill.Fills;
import io.millrace.cache.fill.Presence;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.metadata.ObjectMetadata;
import java.util.function.Function;

/** Where the bytes of versions are. A look into memory; no promise, since they may go or come meanwhile. */
final class Whereabouts {
    /** Blocks that {@link #of} looks at, which takes some ten microseconds. */
    private static final long LOOKED_AT = 128;

    private final BlockStore store;
    private final Fills fills;

    Whereabouts(BlockStore store, Fills fills) {
        this.store = store;
        this.fills = fills;
    }

    /** Whether all of these bytes are on disks. */
    boolean areStored(ObjectMetadata head, ByteRange range) {
        return look(head, range, Long.MAX_VALUE, key -> store.contains(key) ? Presence.HERE : Presence.ABSENT)
                == Presence.HERE;
    }

    /** Whether any block of an object is on a disk. */
    static boolean isAnyStored(BlockStore store, ObjectMetadata metadata) {
        for (long block = 0; block < metadata.blocks(); block++) {
            if (store.contains(store.hash().of(metadata.version(), block))) {
                return true;
            }
        }
        return false;
    }

    /** How many bytes of some of an object's blocks are on disks. */
    long stored(ObjectMetadata head, long first, long end) {
        long bytes = 0;
        for (long block = first; block < end; block++) {
            if (store.contains(store.hash().of(head.version(), block))) {
                bytes += Math.min(head.blockSize(), head.size() - block * head.blockSize());
            }
        }
        return bytes;
    }

    /** Where they are, as far as the first blocks tell. */
    Presence of(ObjectMetadata head, ByteRange range) {
        return look(head, range, LOOKED_AT, this::presence);
    }

    /** In memory first: what leaves it has come to a disk before. */
    private Presence presence(Fingerprint block) {
        Presence inMemory = fills.presence(block);
        return inMemory == Presence.ABSENT && store.contains(block) ? Presence.HERE : inMemory;
    }

    private Presence look(ObjectMetadata head, ByteRange range, long most, Function<Fingerprint, Presence> where) {
        long first = range.first() / head.blockSize();
        long last = Math.min(range.last() / head.blockSize(), first + most - 1);
        Presence all = Presence.HERE;
        for (long block = first; block <= last && all != Presence.ABSENT; block++) {
            Presence one = where.apply(store.hash().of(head.version(), block));
            all = one == Presence.HERE ? all : one;
        }
        return all;
    }
}
