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
 * Limits the direct memory of the block index, and records how many entries it had when memory ran out. Memory ends
 * when the budget is used up, or when the JVM has none left. Safe for use by any number of threads.
 */
final class IndexMemoryBudget {
    private static final Logger log = LoggerFactory.getLogger(IndexMemoryBudget.class);

    /**
     * Pause after the JVM refused memory. Each attempt collects garbage and blocks a shard, for perhaps half a second.
     */
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
     * @param entries returns the number of entries in all shards
     * @param direct allocates, or throws {@link OutOfMemoryError}
     * @param nanoTime the clock
     */
    IndexMemoryBudget(long max, LongSupplier entries, IntFunction<ByteBuffer> direct, LongSupplier nanoTime) {
        this.max = max;
        this.entries = entries;
        this.direct = direct;
        this.nanoTime = nanoTime;
    }

    /** Allocates memory, to be {@link #release released}; null if there is not enough. */
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

    /** Releases so many bytes. */
    void release(long bytes) {
        taken.addAndGet(-bytes);
    }

    /** Returns the bytes that are allocated. */
    long taken() {
        return taken.get();
    }

    /** Returns the number of entries when an allocation last failed; 0 if none has, or there is memory again. */
    long fullSize() {
        return fullSize;
    }

    /** Returns whether the JVM refused the last allocation within the budget. */
    boolean isShort() {
        return isShort;
    }

    private void noteBudgetUsedUp() {
        long size = entries.getAsLong();
        // A request for much more than there is tells nothing about the number of entries that fit.
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
                    "The index has {} MiB and cannot grow to its {} MiB: the JVM has no direct memory left. New"
                            + " blocks may be served"
                            + " without being cached until there is some. Give more by -XX:MaxDirectMemorySize, or make"
                            + " cache.index-memory or cache.fill-memory smaller",
                    taken.get() >> 20,
                    max >> 20);
        }
    }
}
