package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * How often one block may be stored and gone, or given up and gone, before whoever wants it does without: something is wrong with
 * all of it then. For one thread at a time.
 */
final class LostBlockLimit {
    private static final int MAX_LOSSES = 8;

    private int losses;

    /** The block is here. */
    void reset() {
        losses = 0;
    }

    /** The block has gone; null as long as it may be asked for again. */
    @Nullable BackendException lost() {
        return ++losses <= MAX_LOSSES
                ? null
                : new BackendException(
                        BackendException.FailureKind.UNAVAILABLE,
                        "a block was fetched %d times and lost".formatted(MAX_LOSSES));
    }
}
