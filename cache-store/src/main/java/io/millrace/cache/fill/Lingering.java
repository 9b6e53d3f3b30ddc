package io.millrace.cache.fill;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import reactor.core.scheduler.Schedulers;

/**
 * Blocks that no disk takes: kept for a while for those who follow them. When memory is short, those go at once that a reader
 * has had to their end, or that nobody waits for, and soon the others. Safe for use by any number of threads.
 */
final class Lingering {
    /** How long a block is kept at most. */
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How long it is kept for readers who are late, when others wait for its memory. */
    private static final long KEPT_SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How soon memory that is short comes back: a fraction of what filling it took. */
    private static final long LOOK_MILLIS = 10;

    private final Queue<Kept> kept = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final BooleanSupplier memoryIsShort;
    private final Consumer<BlockFill> end;

    private record Kept(BlockFill block, long since) {}

    /**
     * @param end gives a block's memory back
     */
    Lingering(BooleanSupplier memoryIsShort, Consumer<BlockFill> end) {
        this.memoryIsShort = memoryIsShort;
        this.end = end;
    }

    void add(BlockFill block) {
        kept.add(new Kept(block, System.nanoTime()));
        lookSoon();
    }

    private void lookSoon() {
        if (looking.compareAndSet(false, true)) {
            Schedulers.parallel().schedule(this::look, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        long now = System.nanoTime();
        boolean isShort = memoryIsShort.getAsBoolean();
        kept.removeIf(one -> {
            long age = now - one.since();
            boolean over = age >= (isShort ? KEPT_SHORT_NANOS : KEPT_NANOS)
                    || (isShort && one.block().isPassed());
            if (over) {
                end.accept(one.block());
            }
            return over;
        });
        looking.set(false);
        if (!kept.isEmpty()) {
            lookSoon();
        }
    }
}
