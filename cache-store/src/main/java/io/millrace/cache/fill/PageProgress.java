package io.millrace.cache.fill;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The progress of a fetch, in pages of {@link FetchResumePolicy#PROGRESS_BYTES}: what drips has as little as what
 * stands still. Not thread-safe.
 */
final class PageProgress {
    private final LongSupplier nanoTime;
    private long since;
    private int bytes;

    /** @param nanoTime as {@link System#nanoTime} */
    PageProgress(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.since = nanoTime.getAsLong();
    }

    /** Records that bytes are asked for from now on. */
    void begin() {
        bytes = 0;
        since = nanoTime.getAsLong();
    }

    /** Records received bytes. */
    void received(int count) {
        bytes += count;
        if (bytes >= FetchResumePolicy.PROGRESS_BYTES) {
            begin();
        }
    }

    /** Returns whether no whole page has arrived for so long. */
    boolean isSilentFor(Duration time) {
        return nanoTime.getAsLong() - since >= time.toNanos();
    }
}
