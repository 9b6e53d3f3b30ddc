package io.millrace.cache.fill;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import reactor.core.scheduler.Schedulers;

/**
 * Blocks that are not stored: kept for a while for those who follow them. When memory is short, those go at once that a reader
 * has had to their end, or that nobody waits for, and soon the others. Where disks are full, blocks that are not worth a place are
 * what most misses bring; so those go as soon as they have no readers, but for a moment in which a herd comes together, if there is
 * memory for that. Safe for use by any number of threads.
 */
final class UnstoredBlocks {
    /** How long a block is kept at most. */
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How long it is kept for readers who are late, when others wait for its memory. */
    private static final long KEPT_SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How soon memory that is short comes back: a fraction of what filling it took. */
    private static final long LOOK_MILLIS = 10;

    private final Queue<UnstoredBlock> kept = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sweepScheduled = new AtomicBoolean();
    private final MemoryBudget memory;
    private final Consumer<BlockFill> end;

    private record UnstoredBlock(BlockFill block, boolean admitted, long since) {}

    /**
     * @param end gives a block's memory back
     */
    UnstoredBlocks(MemoryBudget memory, Consumer<BlockFill> end) {
        this.memory = memory;
        this.end = end;
    }

    /** Keeps one that no disk takes. */
    void add(BlockFill block) {
        kept.add(new UnstoredBlock(block, true, System.nanoTime()));
        scheduleSweep();
    }

    /** Keeps one that is not worth a place on a disk. */
    void addUnadmitted(BlockFill block) {
        kept.add(new UnstoredBlock(block, false, System.nanoTime()));
        scheduleSweep();
    }

    private static boolean isUnneeded(UnstoredBlock one, long age, boolean isCrowded) {
        return (isCrowded || age >= KEPT_SHORT_NANOS) && !one.block().run().hasReaders();
    }

    private void scheduleSweep() {
        if (sweepScheduled.compareAndSet(false, true)) {
            Schedulers.parallel().schedule(this::sweep, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void sweep() {
        long now = System.nanoTime();
        boolean isShort = memory.isShort();
        boolean isCrowded = isShort || memory.isCrowded();
        kept.removeIf(one -> {
            long age = now - one.since();
            boolean over = age >= (isShort ? KEPT_SHORT_NANOS : KEPT_NANOS)
                    || (isShort && one.block().isConsumed())
                    || (!one.admitted() && isUnneeded(one, age, isCrowded));
            if (over) {
                end.accept(one.block());
            }
            return over;
        });
        sweepScheduled.set(false);
        if (!kept.isEmpty()) {
            scheduleSweep();
        }
    }
}
