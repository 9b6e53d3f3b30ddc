package io.millrace.cache.disk;

import io.millrace.config.DataSize;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Limits the bytes that are written to a disk in a day, because writing wears it out. All writes count, including
 * copies. Writes that must happen are never held back, and copies may overdraw by half an hour's share; later writes
 * pay for that. At most an hour's share is saved up, so no day exceeds its budget except by writes that must happen. A
 * restart begins with an hour's share and no debt. Safe for use by any number of threads.
 */
final class WriteBudget {
    private static final long DAY = Duration.ofDays(1).toNanos();
    private static final long SAVED = DAY / 24;

    /**
     * Nanoseconds that copies may overdraw. Blocks use up all of the budget, so copies would hardly ever happen. But
     * they are of what is read most: without them it is fetched and written again.
     */
    private static final long LENT_TO_COPIES = SAVED / 2;

    private final double nanosPerByte;
    private final LongSupplier clock;

    /** Time at which everything written so far is paid for. */
    private final AtomicLong paidAt;

    /**
     * @param aDay empty if there is no limit
     * @param clock nanoseconds, as {@link System#nanoTime}
     */
    WriteBudget(Optional<DataSize> aDay, LongSupplier clock) {
        this.clock = clock;
        // The saved and the overdrawn share come on top, so the rest of the day's budget is spread over the day.
        this.nanosPerByte = aDay.map(size -> DAY / (size.bytes() * (1 - (double) (SAVED + LENT_TO_COPIES) / DAY)))
                .orElse(0.0);
        this.paidAt = new AtomicLong(clock.getAsLong() - SAVED);
    }

    /** Returns whether some of the budget is left. */
    boolean isLeft() {
        return isLeft(0);
    }

    /** Returns whether some of the budget is left for copies that are worth more than new blocks. */
    boolean isLeftForCopies() {
        return isLeft(LENT_TO_COPIES);
    }

    private boolean isLeft(long lent) {
        return nanosPerByte == 0 || paidAt.get() - clock.getAsLong() <= lent;
    }

    /** Counts written bytes. */
    void spend(long bytes) {
        if (nanosPerByte > 0) {
            long nanos = (long) (bytes * nanosPerByte);
            long now = clock.getAsLong();
            paidAt.updateAndGet(paid -> (paid - (now - SAVED) < 0 ? now - SAVED : paid) + nanos);
        }
    }
}
