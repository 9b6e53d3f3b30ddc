package io.millrace.cache.index;

import io.millrace.cache.index.IndexSampler.Resident;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A shard of the block index: a hash table with Robin Hood hashing in a direct buffer. An entry that is farther from
 * its home slot takes the place of one that is nearer to its own. So distances stay short and even at
 * {@link #MAX_LOAD}, and a search for a missing key ends at the first entry that is nearer to its home.
 *
 * <p>Readers take no lock; they retry under a lock if they met a writer.
 */
final class IndexShard {
    /** Bytes of an entry: fingerprint, place, facts. */
    static final int SLOT = 32;

    private static final double MAX_LOAD = 0.9;

    /** Growth factor: small, so that an entry takes 40 bytes with free slots right after growing. */
    private static final double GROWTH = 1.12;

    private static final int FIRST_SLOTS = 512;

    /** Bytes of a line of the processor's cache. */
    private static final int LINE = 64;

    private final IndexMemoryBudget memory;
    private final IndexChangeListener tally;
    private final int firstSlots;
    private final StampedLock lock = new StampedLock();
    private ByteBuffer table = ByteBuffer.allocate(0);
    private int slots;
    private int size;

    IndexShard(IndexMemoryBudget memory, IndexChangeListener tally) {
        this(memory, FIRST_SLOTS, tally);
    }

    /** @param firstSlots initial number of slots */
    IndexShard(IndexMemoryBudget memory, int firstSlots, IndexChangeListener tally) {
        this.memory = memory;
        this.tally = tally;
        this.firstSlots = firstSlots;
    }

    /** Reserves slots for so many entries, if there is memory. */
    void expect(long entries) {
        long stamp = lock.writeLock();
        try {
            boolean unused = growTo((long) (entries / MAX_LOAD));
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    @Nullable IndexEntry find(Fingerprint key) {
        long stamp = lock.tryOptimisticRead();
        if (stamp != 0) {
            IndexEntry found = entryAt(table, slots, key);
            if (lock.validate(stamp)) {
                return found;
            }
        }
        stamp = lock.readLock();
        try {
            return entryAt(table, slots, key);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    boolean put(Fingerprint key, IndexEntry entry) {
        return putUnless(() -> false, key, entry);
    }

    boolean putUnless(BooleanSupplier withdrawn, Fingerprint key, IndexEntry entry) {
        long stamp = lock.writeLock();
        try {
            if (withdrawn.getAsBoolean()) {
                return false;
            }
            int at = slotOf(table, slots, key);
            if (at >= 0) {
                count(entry(table, at), -1);
                write(at, key, entry);
                count(entry, 1);
                return true;
            }
            return insert(key, entry);
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    boolean replace(Fingerprint key, long place, IndexEntry entry) {
        return change(key, place, old -> entry);
    }

    void verified(Fingerprint key, long place) {
        change(key, place, IndexEntry::verified);
    }

    /** Returns the block in a random slot; null if the slot is free, or a writer was met. */
    @Nullable Resident any(int random) {
        long stamp = lock.tryOptimisticRead();
        if (stamp == 0) {
            return null;
        }
        ByteBuffer in = table;
        int of = slots;
        if (of == 0 || in.capacity() != of * SLOT) {
            return null;
        }
        int at = home((long) random << 32, of);
        IndexEntry entry = entry(in, at);
        Fingerprint key = key(in, at);
        boolean isPresent = lock.validate(stamp) && entry.place() != 0;
        return isPresent ? new Resident(key, entry.bodyBytes(), entry.group()) : null;
    }

    boolean remove(Fingerprint key, long place) {
        long stamp = lock.writeLock();
        try {
            int at = slotOf(table, slots, key);
            if (at < 0 || table.getLong(at * SLOT + 16) != place) {
                return false;
            }
            closeGap(at);
            size--;
            return true;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    int removeIf(Predicate<IndexEntry> filter) {
        long stamp = lock.writeLock();
        try {
            int removed = 0;
            for (int at = 0; at < slots; at++) {
                // Removal moves the following entries up, and they may match, too.
                while (!isFree(table, at) && filter.test(entry(table, at))) {
                    closeGap(at);
                    removed++;
                }
            }
            size -= removed;
            return removed;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Returns the number of entries without a lock, so it may be a little old. */
    int roughSize() {
        return size;
    }

    int size() {
        long stamp = lock.readLock();
        try {
            return size;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    private boolean change(Fingerprint key, long place, UnaryOperator<IndexEntry> change) {
        long stamp = lock.writeLock();
        try {
            int at = slotOf(table, slots, key);
            if (at < 0 || table.getLong(at * SLOT + 16) != place) {
                return false;
            }
            IndexEntry old = entry(table, at);
            IndexEntry changed = change.apply(old);
            write(at, key, changed);
            // Verification does not change what the listener counts.
            if (old.verified().facts() != changed.verified().facts()) {
                count(old, -1);
                count(changed, 1);
            }
            return true;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    private boolean insert(Fingerprint key, IndexEntry entry) {
        if (size + 1 > slots * MAX_LOAD && !grow()) {
            return false;
        }
        place(key, entry);
        size++;
        count(entry, 1);
        return true;
    }

    private void count(IndexEntry entry, int times) {
        if (entry.group() != 0) {
            tally.count(entry.group(), entry.bodyBytes(), times);
        }
    }

    /** Inserts a new entry; there must be a free slot. */
    private void place(Fingerprint key, IndexEntry entry) {
        Fingerprint movingKey = key;
        IndexEntry moving = entry;
        int at = home(key.high(), slots);
        for (int distance = 0; ; distance++) {
            if (isFree(table, at)) {
                write(at, movingKey, moving);
                return;
            }
            int present = distance(table, slots, at);
            if (present < distance) {
                Fingerprint displacedKey = key(table, at);
                IndexEntry displaced = entry(table, at);
                write(at, movingKey, moving);
                movingKey = displacedKey;
                moving = displaced;
                distance = present;
            }
            at = next(at, slots);
        }
    }

    /** Removes an entry, and moves following ones back up to a free slot or an entry in its home slot. */
    private void closeGap(int gap) {
        count(entry(table, gap), -1);
        int free = gap;
        for (int at = next(gap, slots); !isFree(table, at) && distance(table, slots, at) > 0; at = next(at, slots)) {
            write(free, key(table, at), entry(table, at));
            free = at;
        }
        table.putLong(free * SLOT + 16, 0);
    }

    private boolean grow() {
        return growTo((long) Math.ceil(slots * GROWTH));
    }

    private boolean growTo(long least) {
        int wanted = Math.max(firstSlots, (int) Math.min(least, Integer.MAX_VALUE / SLOT - 8));
        if (wanted <= slots) {
            return false;
        }
        ByteBuffer larger = allocate(wanted);
        if (larger == null) {
            return false;
        }
        ByteBuffer old = table;
        int oldSlots = slots;
        table = larger;
        slots = wanted;
        for (int i = 0; i < oldSlots; i++) {
            if (!isFree(old, i)) {
                place(key(old, i), entry(old, i));
            }
        }
        memory.release(oldSlots == 0 ? 0 : bytes(oldSlots));
        return true;
    }

    private static int bytes(int slots) {
        return slots * SLOT + 2 * LINE;
    }

    /** Allocates a table; null if there is no memory. No slot crosses a line of the processor's cache. */
    private @Nullable ByteBuffer allocate(int slots) {
        ByteBuffer raw = memory.allocate(bytes(slots));
        // An aligned slice begins and ends at a line.
        return raw == null
                ? null
                : raw.alignedSlice(LINE).slice(0, slots * SLOT).order(ByteOrder.nativeOrder());
    }

    private void write(int at, Fingerprint key, IndexEntry entry) {
        int i = at * SLOT;
        table.putLong(i, key.high());
        table.putLong(i + 8, key.low());
        table.putLong(i + 16, entry.place());
        table.putLong(i + 24, entry.facts());
    }

    private static @Nullable IndexEntry entryAt(ByteBuffer table, int slots, Fingerprint key) {
        int at = slotOf(table, slots, key);
        return at < 0 ? null : entry(table, at);
    }

    /** May see a writer's partial changes: it ends in any case, and {@link #find} retries. */
    private static int slotOf(ByteBuffer table, int slots, Fingerprint key) {
        if (slots == 0 || table.capacity() != slots * SLOT) {
            return -1;
        }
        int at = home(key.high(), slots);
        for (int distance = 0; distance < slots; distance++) {
            int i = at * SLOT;
            if (table.getLong(i + 16) == 0) {
                return -1;
            }
            if (table.getLong(i) == key.high() && table.getLong(i + 8) == key.low()) {
                return at;
            }
            if (distance(table, slots, at) < distance) {
                return -1;
            }
            at = next(at, slots);
        }
        return -1;
    }

    private static int distance(ByteBuffer table, int slots, int at) {
        int distance = at - home(table.getLong(at * SLOT), slots);
        return distance < 0 ? distance + slots : distance;
    }

    /**
     * Returns the home slot: the fingerprint as a fraction of all slots, so their number need not be a power of two.
     */
    private static int home(long high, int slots) {
        return (int) (((high >>> 32) * slots) >>> 32);
    }

    private static int next(int at, int slots) {
        return at + 1 == slots ? 0 : at + 1;
    }

    private static boolean isFree(ByteBuffer table, int at) {
        return table.getLong(at * SLOT + 16) == 0;
    }

    private static Fingerprint key(ByteBuffer table, int at) {
        return new Fingerprint(table.getLong(at * SLOT), table.getLong(at * SLOT + 8));
    }

    private static IndexEntry entry(ByteBuffer table, int at) {
        return new IndexEntry(table.getLong(at * SLOT + 16), table.getLong(at * SLOT + 24));
    }
}
