package io.millrace.cache.fill;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import reactor.core.scheduler.Schedulers;

/**
 * Keeps in memory, for a short time, fetched blocks that were not written to disk, for readers that still follow them.
 * When memory is short, blocks that a reader has read to their end or that have no readers are released at once, and
 * the others soon. On full disks most misses bring blocks that are not admitted. Those are released as soon as they
 * have no readers, after a moment for concurrent readers to arrive if memory permits. Keeps none once it is closed.
 * Thread-safe.
 */
final class UnstoredBlocks implements AutoCloseable {
    /** The longest time a block is kept. */
    private static final long RETAINED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The longest time a block is kept for late readers while memory is short. */
    private static final long RETAINED_SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The interval of sweeps, a fraction of the time that filling the memory takes. */
    private static final long LOOK_MILLIS = 10;

    private final Queue<UnstoredBlock> blocks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sweepScheduled = new AtomicBoolean();
    private final FillMemoryBudget memory;
    private final Consumer<BlockFill> end;
    private volatile boolean closed;

    private record UnstoredBlock(BlockFill block, boolean admitted, long since) {}

    /** @param end releases a block's memory */
    UnstoredBlocks(FillMemoryBudget memory, Consumer<BlockFill> end) {
        this.memory = memory;
        this.end = end;
    }

    /** Keeps a block that no disk takes. */
    void add(BlockFill block) {
        add(new UnstoredBlock(block, true, System.nanoTime()));
    }

    /** Keeps a block that was not admitted to the disks. */
    void addUnadmitted(BlockFill block) {
        add(new UnstoredBlock(block, false, System.nanoTime()));
    }

    private void add(UnstoredBlock one) {
        blocks.add(one);
        // Checked only after it was added: one that comes before the close is released by that.
        if (closed) {
            releaseAll();
        } else {
            scheduleSweep();
        }
    }

    /** Releases all blocks; those that come later are released at once. */
    @Override
    public void close() {
        closed = true;
        releaseAll();
    }

    private void releaseAll() {
        for (UnstoredBlock one = blocks.poll(); one != null; one = blocks.poll()) {
            end.accept(one.block());
        }
    }

    private static boolean isUnneeded(UnstoredBlock one, long age, boolean isCrowded) {
        return (isCrowded || age >= RETAINED_SHORT_NANOS) && !one.block().run().hasReaders();
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
        blocks.removeIf(one -> {
            long age = now - one.since();
            boolean over = age >= (isShort ? RETAINED_SHORT_NANOS : RETAINED_NANOS)
                    || (isShort && one.block().isConsumed())
                    || (!one.admitted() && isUnneeded(one, age, isCrowded));
            if (over) {
                end.accept(one.block());
            }
            return over;
        });
        sweepScheduled.set(false);
        if (!blocks.isEmpty()) {
            scheduleSweep();
        }
    }
}
