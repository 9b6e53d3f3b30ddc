package io.millrace.cache.index;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All that is cached, by fingerprint. Lives in direct memory, {@link #ENTRY_BYTES} an entry and a little room between them;
 * there is nothing on the heap for an entry. Safe for use by any number of threads; {@link #find} takes a
 * lock only when it met a writer at work.
 */
public final class BlockIndex implements IndexSampler {
    /** Bytes of an entry. */
    public static final int ENTRY_BYTES = IndexShard.SLOT;

    private static final int SHARDS = 64;

    /** So much of the memory is taken at most for entries that are expected. */
    private static final double EXPECTED_SHARE = 0.7;

    private final IndexShard[] shards = new IndexShard[SHARDS];
    private final IndexMemoryBudget memory;
    private final long maxBytes;

    /**
     * @param maxBytes how much memory it may take
     */
    public BlockIndex(long maxBytes) {
        this(maxBytes, IndexListener.NONE);
    }

    /**
     * @param maxBytes how much memory it may take
     * @param tally told of what comes and goes
     */
    public BlockIndex(long maxBytes, IndexListener tally) {
        this(maxBytes, tally, ByteBuffer::allocateDirect, System::nanoTime);
    }

    /**
     * @param direct allocates, or throws {@link OutOfMemoryError}
     * @param nanoTime the clock
     */
    BlockIndex(long maxBytes, IndexListener tally, IntFunction<ByteBuffer> direct, LongSupplier nanoTime) {
        this.maxBytes = maxBytes;
        this.memory = new IndexMemoryBudget(maxBytes, this::roughSize, direct, nanoTime);
        for (int i = 0; i < SHARDS; i++) {
            shards[i] = new IndexShard(memory, tally);
        }
    }

    /** Makes room for so many entries, as far as there is memory: growing little by little costs more than putting them in. */
    public void expect(long entries) {
        // All shards alike, and with room to grow: one that is full stays so, whatever goes.
        long most = (long) (maxBytes * EXPECTED_SHARE) / ENTRY_BYTES;
        for (IndexShard shard : shards) {
            shard.expect(Math.min(entries, most) / SHARDS);
        }
    }

    /** What is known under this fingerprint, or null. */
    public @Nullable IndexEntry find(Fingerprint key) {
        return shard(key).find(key);
    }

    /**
     * Puts an entry in place of whatever was there.
     *
     * @return whether there was room
     */
    public boolean put(Fingerprint key, IndexEntry entry) {
        return shard(key).put(key, entry);
    }

    /**
     * Puts an entry where there is none.
     *
     * @return the entry that is there already, {@code entry} itself if it was put, or null if there is no room
     */
    public @Nullable IndexEntry putIfAbsent(Fingerprint key, IndexEntry entry) {
        return shard(key).putIfAbsent(key, entry);
    }

    /** Replaces the entry of a record by another, if it is still the one. */
    public boolean replace(Fingerprint key, long place, IndexEntry entry) {
        return shard(key).replace(key, place, entry);
    }

    /** Takes an entry out, if it is still the one of that record. */
    public boolean remove(Fingerprint key, long place) {
        return shard(key).remove(key, place);
    }

    /**
     * Takes out all entries of a kind; who looks for one in the same 64th meanwhile waits, some 20 ms for a million.
     *
     * @return how many
     */
    public long removeIf(Predicate<IndexEntry> which) {
        long removed = 0;
        for (IndexShard shard : shards) {
            removed += shard.removeIf(which);
        }
        return removed;
    }

    /** Counts an entry in another group, if it is still the one of that record. */
    public void regroup(Fingerprint key, long place, int group) {
        shard(key).regroup(key, place, group);
    }

    /** Remembers that the body at {@code place} was checked. */
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

    /**
     * How full it is, 0 to about 1, as far as is known: 0 as long as no part of it wanted more memory than there is. Takes no lock.
     */
    public double fullness() {
        long full = memory.fullSize();
        return full == 0 ? 0 : (double) roughSize() / full;
    }

    /**
     * Whether the JVM has less direct memory than this may take. What would go for an entry then frees none, so the entry is better
     * left out.
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

    /** How many entries there are. */
    public long size() {
        long size = 0;
        for (IndexShard shard : shards) {
            size += shard.size();
        }
        return size;
    }

    /** Bytes it has taken. */
    public long memory() {
        return memory.taken();
    }

    private IndexShard shard(Fingerprint key) {
        return shards[(int) (key.low() >>> 58)];
    }
}
