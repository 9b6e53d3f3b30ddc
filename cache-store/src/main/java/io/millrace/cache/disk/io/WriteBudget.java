package io.millrace.cache.disk.io;

import io.millrace.config.DataSize;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Bytes that may be written to a disk in a day: what wears it out. All that is written counts, copies too. What must be written is, and
 * copies are for half an hour's share; that is paid for by what waits. At most an hour's share is saved up, so that no day has more than its
 * budget, but for what must be. A restart begins with an hour's share and no debt. Safe for use by any number of threads.
 */
public final class WriteBudget {
    private static final long DAY = Duration.ofDays(1).toNanos();
    private static final long SAVED = DAY / 24;

    /**
     * Blocks take all there is, so that hardly ever something would be left for copies. But they are of what is read most: not to copy it costs
     * fetching it, and as much to write it again.
     */
    private static final long LENT_TO_COPIES = SAVED / 2;

    private final double nanosPerByte;
    private final LongSupplier clock;

    /** When all that was written is paid for. */
    private final AtomicLong paidAt;

    /**
     * @param aDay none if there is no limit
     * @param clock nanoseconds, as {@link System#nanoTime}
     */
    public WriteBudget(Optional<DataSize> aDay, LongSupplier clock) {
        this.clock = clock;
        // What is saved up and lent comes on top: the rest of the day's is spread over the day.
        this.nanosPerByte = aDay.map(size -> DAY / (size.bytes() * (1 - (double) (SAVED + LENT_TO_COPIES) / DAY)))
                .orElse(0.0);
        this.paidAt = new AtomicLong(clock.getAsLong() - SAVED);
    }

    /** Whether there is some of it left. */
    public boolean isLeft() {
        return isLeft(0);
    }

    /** The same for what is copied since it is worth more than what comes. */
    public boolean isLeftForCopies() {
        return isLeft(LENT_TO_COPIES);
    }

    private boolean isLeft(long lent) {
        return nanosPerByte == 0 || paidAt.get() - clock.getAsLong() <= lent;
    }

    /** So many bytes were written. */
    public void spend(long bytes) {
        if (nanosPerByte > 0) {
            long nanos = (long) (bytes * nanosPerByte);
            long now = clock.getAsLong();
            paidAt.updateAndGet(paid -> (paid - (now - SAVED) < 0 ? now - SAVED : paid) + nanos);
        }
    }
}
