package io.millrace.cache.index;

import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Maps the fingerprint of each cached block to its place on a disk. It is in direct memory: {@link #ENTRY_BYTES} an
 * entry plus free slots, and nothing on the heap for an entry. Safe for use by any number of threads; {@link #find}
 * takes a lock only if it meets a writer.
 */
public final class BlockIndex implements IndexSampler {
    /** Bytes of an entry. */
    public static final int ENTRY_BYTES = IndexShard.SLOT;

    private static final int SHARDS = 64;

    /** Part of the memory that {@link #expect} may allocate. */
    private static final double EXPECTED_SHARE = 0.7;

    private final IndexShard[] shards = new IndexShard[SHARDS];
    private final IndexMemoryBudget memory;
    private final long maxBytes;

    /** @param maxBytes memory that it may take */
    public BlockIndex(long maxBytes) {
        this(maxBytes, IndexChangeListener.NONE);
    }

    /**
     * @param maxBytes memory that it may take
     * @param tally called when entries are added and removed
     */
    public BlockIndex(long maxBytes, IndexChangeListener tally) {
        this(maxBytes, tally, ByteBuffer::allocateDirect, System::nanoTime);
    }

    /**
     * @param direct allocates, or throws {@link OutOfMemoryError}
     * @param nanoTime the clock
     */
    BlockIndex(long maxBytes, IndexChangeListener tally, IntFunction<ByteBuffer> direct, LongSupplier nanoTime) {
        this.maxBytes = maxBytes;
        this.memory = new IndexMemoryBudget(maxBytes, this::roughSize, direct, nanoTime);
        for (int i = 0; i < SHARDS; i++) {
            shards[i] = new IndexShard(memory, tally);
        }
    }

    /**
     * Reserves slots for so many entries, as far as there is memory, because growing step by step costs more than the
     * inserts.
     */
    public void expect(long entries) {
        // All shards alike, and with room to grow, because a full shard stays full whatever is removed.
        long most = (long) (maxBytes * EXPECTED_SHARE) / ENTRY_BYTES;
        for (IndexShard shard : shards) {
            shard.expect(Math.min(entries, most) / SHARDS);
        }
    }

    /** Returns the entry of a fingerprint, or null. */
    public @Nullable IndexEntry find(Fingerprint key) {
        return shard(key).find(key);
    }

    /**
     * Inserts or replaces an entry.
     *
     * @return whether there was room
     */
    public boolean put(Fingerprint key, IndexEntry entry) {
        return shard(key).put(key, entry);
    }

    /**
     * Inserts or replaces an entry unless its block is withdrawn. One who withdraws it first and removes it after that
     * can rely on its absence.
     *
     * @param withdrawn called under a lock, so it must not block
     * @return whether it was inserted
     */
    public boolean putUnless(BooleanSupplier withdrawn, Fingerprint key, IndexEntry entry) {
        return shard(key).putUnless(withdrawn, key, entry);
    }

    /** Replaces the entry of a record, if the index still has it; returns whether it did. */
    public boolean replace(Fingerprint key, long place, IndexEntry entry) {
        return shard(key).replace(key, place, entry);
    }

    /** Removes the entry of a record, if the index still has it; returns whether it did. */
    public boolean remove(Fingerprint key, long place) {
        return shard(key).remove(key, place);
    }

    /**
     * Removes all matching entries; lookups in the same shard wait meanwhile, some 20 ms for a million entries.
     *
     * @return how many were removed
     */
    public long removeIf(Predicate<IndexEntry> filter) {
        long removed = 0;
        for (IndexShard shard : shards) {
            removed += shard.removeIf(filter);
        }
        return removed;
    }

    /** Records that the body of a record was verified. */
    public void verified(Fingerprint key, long place) {
        shard(key).verified(key, place);
    }

    @Override
    public @Nullable Resident any(long random) {
        return shards[(int) (random >>> 58)].any((int) random);
    }

    @Override
    public long count() {
        return size();
    }

    /** Returns how full it is, 0 to about 1; 0 until a shard has wanted more memory than there is. Takes no lock. */
    public double fullness() {
        long full = memory.fullSize();
        return full == 0 ? 0 : (double) roughSize() / full;
    }

    /**
     * Returns whether the JVM has less direct memory than the index may take. Eviction then frees none, so new entries
     * are rejected instead.
     */
    public boolean isShortOfMemory() {
        return memory.isShort();
    }

    private long roughSize() {
        long size = 0;
        for (IndexShard shard : shards) {
            size += shard.roughSize();
        }
        return size;
    }

    /** Returns the number of entries. */
    public long size() {
        long size = 0;
        for (IndexShard shard : shards) {
            size += shard.size();
        }
        return size;
    }

    /** Returns the bytes of memory taken. */
    public long memory() {
        return memory.taken();
    }

    private IndexShard shard(Fingerprint key) {
        return shards[(int) (key.low() >>> 58)];
    }
}
