package io.millrace.cache.index;

import static io.millrace.backend.testkit.interleaving.InterleavingSearch.require;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.runConcurrently;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.search;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * A look without a lock sees what was there before or after a change, never half of each, and never misses what stays.
 */
class BlockIndexInterleavings {
    /** Four slots, one of which stays free: it grows at the next. */
    private static final int SLOTS = 4;

    @Test
    void findsEntriesWhileTheTableGrows() {
        search("index: an entry is found, whole, while the table grows", () -> {
            IndexShard shard = shard();
            put(shard, 1);
            put(shard, 2);
            put(shard, 3);
            runConcurrently(() -> requireThere(shard, 1), () -> requireThere(shard, 3), () -> put(shard, 4));
            requireThere(shard, 4);
        });
    }

    @Test
    void findsEntriesWhileANeighbourIsRemoved() {
        search("index: an entry is found while a neighbour is removed and the gap is closed", () -> {
            IndexShard shard = shard();
            put(shard, 1);
            put(shard, 2);
            put(shard, 3);
            runConcurrently(
                    () -> requireThere(shard, 3),
                    () -> requireThere(shard, 2),
                    () -> require(shard.remove(key(1), entry(1, 1).place()), "it was there"));
            require(shard.find(key(1)) == null && shard.size() == 2, "it has not gone");
        });
    }

    @Test
    void oneOfTwoWhoReplaceWins() {
        search("index: one of two replacements of an entry wins, and readers see whole entries", () -> {
            IndexShard shard = shard();
            put(shard, 1);
            boolean[] replaced = new boolean[2];
            long place = entry(1, 1).place();
            runConcurrently(
                    () -> replaced[0] = shard.replace(key(1), place, entry(1, 2)),
                    () -> replaced[1] = shard.replace(key(1), place, entry(1, 3)),
                    () -> {
                        IndexEntry found = shard.find(key(1));
                        require(found != null && isWhole(found), "half of an entry: " + found);
                    });
            IndexEntry last = shard.find(key(1));
            require(replaced[0] != replaced[1], "both, or none");
            require(last != null && last.segment() == (replaced[0] ? 2 : 3), "the other one is there: " + last);
        });
    }

    @Test
    void verificationTouchesOnlyItsRecord() {
        search("index: one of two insertions wins, and a verification marks only its own entry", () -> {
            IndexShard shard = shard();
            runConcurrently(
                    () -> require(shard.put(key(1), entry(1, 2)), "there is room"),
                    () -> require(shard.put(key(1), entry(1, 3)), "there is room"),
                    () -> shard.verified(key(1), entry(1, 2).place()));
            IndexEntry last = Objects.requireNonNull(shard.find(key(1)));
            require(last.segment() == 2 || !last.isVerified(), "of another: " + last);
        });
    }

    private static IndexShard shard() {
        IndexMemoryBudget enough = new IndexMemoryBudget(1 << 20, () -> 0, ByteBuffer::allocateDirect, () -> 0);
        return new IndexShard(enough, SLOTS, IndexChangeListener.NONE);
    }

    private static void put(IndexShard shard, int number) {
        require(shard.put(key(number), entry(number, 1)), "there is room");
    }

    private static void requireThere(IndexShard shard, int number) {
        IndexEntry found = shard.find(key(number));
        require(entry(number, 1).equals(found), number + " is not found, or half of it: " + found);
    }

    /** All are at home in the same slot: they stand one behind another. */
    private static Fingerprint key(int number) {
        return new Fingerprint(number, number);
    }

    /** Its length tells its place. */
    private static IndexEntry entry(int number, int segment) {
        return IndexEntry.of(segment, number * 64L, 64, 1000 * segment + number);
    }

    private static boolean isWhole(IndexEntry entry) {
        return entry.bodyBytes() / 1000 == entry.segment();
    }
}
