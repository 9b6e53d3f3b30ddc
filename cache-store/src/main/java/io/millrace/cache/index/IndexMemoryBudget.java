package io.millrace.cache.index;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the direct memory that all shards take together, and remembers how many entries there were when there was no more:
 * because the budget is used up, or because the JVM has none left. Safe for use by any number of threads.
 */
final class IndexMemoryBudget {
    private static final Logger log = LoggerFactory.getLogger(IndexMemoryBudget.class);

    /** After the JVM refused memory. Each attempt collects garbage and holds up one shard, for half a second perhaps. */
    private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final AtomicLong taken = new AtomicLong();
    private final long max;
    private final LongSupplier entries;
    private final IntFunction<ByteBuffer> direct;
    private final LongSupplier nanoTime;
    private volatile long fullSize;
    private volatile boolean isShort;
    private volatile long retryAt;

    /**
     * @param max bytes
     * @param entries how many there are in all shards
     * @param direct allocates, or throws {@link OutOfMemoryError}
     * @param nanoTime the clock
     */
    IndexMemoryBudget(long max, LongSupplier entries, IntFunction<ByteBuffer> direct, LongSupplier nanoTime) {
        this.max = max;
        this.entries = entries;
        this.direct = direct;
        this.nanoTime = nanoTime;
    }

    /** So many bytes, to be {@link #release released}; null if there are not so many. */
    @Nullable ByteBuffer allocate(int bytes) {
        if (isShort && nanoTime.getAsLong() - retryAt < 0) {
            return null;
        }
        if (taken.addAndGet(bytes) > max) {
            taken.addAndGet(-bytes);
            isShort = false;
            noteBudgetUsedUp();
            return null;
        }
        try {
            ByteBuffer memory = direct.apply(bytes);
            noteMemory();
            return memory;
        } catch (OutOfMemoryError noDirectMemory) {
            taken.addAndGet(-bytes);
            noteShortage();
            return null;
        }
    }

    /** Gives so many bytes back. */
    void release(long bytes) {
        taken.addAndGet(-bytes);
    }

    /** Bytes that are taken now. */
    long taken() {
        return taken.get();
    }

    /** How many entries there were when there was no memory for more; 0 if there is, as far as is known. */
    long fullSize() {
        return fullSize;
    }

    /** Whether the JVM had less memory than the budget when it was last asked for some. */
    boolean isShort() {
        return isShort;
    }

    private void noteBudgetUsedUp() {
        long size = entries.getAsLong();
        // A wish for much more than there is, as at a start, says nothing of how many there can be.
        if (taken.get() > max / 2 && size > fullSize) {
            fullSize = size;
        }
    }

    private void noteMemory() {
        if (isShort) {
            isShort = false;
            fullSize = 0;
        }
    }

    private void noteShortage() {
        fullSize = Math.max(1, entries.getAsLong());
        retryAt = nanoTime.getAsLong() + RETRY_NANOS;
        if (!isShort) {
            isShort = true;
            log.warn(
                    "The index has {} MiB and cannot grow to its {} MiB: the JVM has no direct memory left. New blocks may be served"
                            + " without being cached until there is some. Give more by -XX:MaxDirectMemorySize, or make"
                            + " cache.index-memory or cache.memory smaller",
                    taken.get() >> 20,
                    max >> 20);
        }
    }
}
