package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Limits how often in a row a reader retries a block that was stored or abandoned and then lost, because something is
 * wrong with the block if that repeats. Not thread-safe.
 */
final class LostBlockLimit {
    private static final int MAX_LOSSES = 8;

    private int losses;

    /** Records that the block was found. */
    void reset() {
        losses = 0;
    }

    /** Records a loss; returns null while a retry is allowed, otherwise the failure. */
    @Nullable BackendException lost() {
        return ++losses <= MAX_LOSSES
                ? null
                : new BackendException(
                        BackendException.FailureKind.UNAVAILABLE,
                        "a block was fetched %d times and lost".formatted(MAX_LOSSES));
    }
}
